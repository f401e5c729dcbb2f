;;; dagaz-mode.el --- Futhark programs, compiled by Dagaz -*- lexical-binding: t -*-
;; Package-Requires: ((emacs "27.1"))
;;; Commentary:
;; Highlighting, `dagaz-format-buffer' (also on saving, see `dagaz-format-on-save'), and
;; `compile' with `dagaz check', whose messages Emacs knows how to follow.  With Eglot, which Emacs
;; has from version 29 on, the language server gives everything else.
;;; Code:
(defgroup dagaz nil "Futhark programs." :group 'languages)
(defcustom dagaz-program "dagaz" "The compiler." :type 'string)
(defcustom dagaz-format-on-save nil "Whether saving formats first." :type 'boolean)

(defvar dagaz-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?- ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?' "w" table)
    (dolist (character '(?+ ?* ?/ ?% ?= ?! ?< ?> ?| ?& ?^ ?. ?\\ ?: ?` ?~ ??))
      (modify-syntax-entry character "." table))
    table))

(defvar dagaz-font-lock-keywords
  `(("\\_<\\(?:def\\|entry\\)\\s-+\\([A-Za-z_][A-Za-z0-9_']*\\)" 1 font-lock-function-name-face)
    (,(regexp-opt '("if" "then" "else" "match" "case" "loop" "for" "while" "do" "def" "let" "in"
                    "val" "with" "local" "open" "include" "import" "type" "entry" "module"
                    "assert")
                  'words)
     . font-lock-keyword-face)
    ("\\_<\\(?:[iu]\\(?:8\\|16\\|32\\|64\\)\\|f\\(?:16\\|32\\|64\\)\\|bool\\)\\_>"
     . font-lock-type-face)
    ("#\\[[^]\n]*\\]" . font-lock-preprocessor-face)
    ("#[A-Za-z_][A-Za-z0-9_']*\\|\\_<\\(?:true\\|false\\)\\_>" . font-lock-constant-face)))

(defun dagaz-format-buffer ()
  "Put the program into the common layout; leave it as it is if it has mistakes."
  (interactive)
  (let ((result (generate-new-buffer " *dagaz fmt*")))
    (unwind-protect
        (if (zerop (call-process-region nil nil dagaz-program nil (list result nil) nil "fmt"))
            (replace-buffer-contents result)
          (message "dagaz: the program has mistakes"))
      (kill-buffer result))))

(defun dagaz--before-save () (when dagaz-format-on-save (dagaz-format-buffer)))

;;;###autoload
(define-derived-mode dagaz-mode prog-mode "Dagaz"
  "Major mode for Futhark programs."
  (setq-local comment-start "-- ")
  (setq-local comment-start-skip "--+\\s-*")
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 2)
  (setq-local font-lock-defaults '(dagaz-font-lock-keywords))
  (when buffer-file-name
    (setq-local compile-command
                (concat dagaz-program " check " (shell-quote-argument buffer-file-name))))
  (add-hook 'before-save-hook #'dagaz--before-save nil t))

;; The language server: M-x eglot, or (add-hook 'dagaz-mode-hook #'eglot-ensure).
(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `(dagaz-mode . ,(lambda (&rest _) (list dagaz-program "lsp")))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.fut\\'" . dagaz-mode))
(provide 'dagaz-mode)
;;; dagaz-mode.el ends here
