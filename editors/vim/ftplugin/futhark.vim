" Formatting: gggqG, or one key of your choice.  Checking: :make.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal comments=:-- commentstring=--\ %s
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal iskeyword+='
setlocal formatprg=dagaz\ fmt
compiler dagaz
let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth< softtabstop<'
      \ . ' iskeyword< formatprg< makeprg< errorformat<'
