if exists('current_compiler')
  finish
endif
let current_compiler = 'dagaz'
CompilerSet makeprg=dagaz\ check\ %:S
CompilerSet errorformat=%f:%l:%c:\ %trror[%.%#]:\ %m,%f:%l:%c:\ %tarning[%.%#]:\ %m,%-G%.%#
