-- Neovim (0.8 and later): the language server, for every program that is opened.
local here = vim.api.nvim_buf_get_name(0)
local marks = vim.fs.find({ 'futhark.pkg', '.git' }, { upward = true, path = vim.fs.dirname(here) })
vim.lsp.start({
  name = 'dagaz',
  cmd = { vim.g.dagaz_program or 'dagaz', 'lsp' },
  root_dir = vim.fs.dirname(marks[1] or here),
})
