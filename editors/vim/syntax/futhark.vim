if exists('b:current_syntax')
  finish
endif
syntax keyword futharkConditional if then else match case
syntax keyword futharkRepeat loop for while do
syntax keyword futharkKeyword def let in val with local open include import type entry module assert
syntax keyword futharkBoolean true false
syntax keyword futharkType i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 bool
syntax match futharkConstructor /#[A-Za-z_][A-Za-z0-9_']*/
syntax match futharkTypeParameter /'[~^]\?[A-Za-z_][A-Za-z0-9_']*/
syntax match futharkCharacter /'\([^'\\]\|\\\([0-9]\+\|.\)\)'/
syntax match futharkNumber /\<\(0x[0-9a-fA-F_]\+\(\.[0-9a-fA-F_]\+[pP][+-]\?[0-9_]\+\)\?\|0b[01_]\+\|0r[IVXLCDM_]\+\|[0-9][0-9_]*\(\.[0-9][0-9_]*\)\?\([eE][+-]\?[0-9]\+\)\?\)\([iu]\(8\|16\|32\|64\)\|f\(16\|32\|64\)\)\?\>/
syntax region futharkAttribute start=/#\[/ end=/\]/ oneline
syntax region futharkString start=/"/ skip=/\\./ end=/"/ oneline
syntax keyword futharkTodo TODO FIXME contained
syntax match futharkComment /--.*$/ contains=futharkTodo,@Spell
syntax match futharkDocumentation /-- |.*$/ contains=@Spell
highlight default link futharkConditional Conditional
highlight default link futharkRepeat Repeat
highlight default link futharkKeyword Keyword
highlight default link futharkBoolean Boolean
highlight default link futharkType Type
highlight default link futharkConstructor Constant
highlight default link futharkTypeParameter Identifier
highlight default link futharkCharacter Character
highlight default link futharkNumber Number
highlight default link futharkAttribute PreProc
highlight default link futharkString String
highlight default link futharkTodo Todo
highlight default link futharkComment Comment
highlight default link futharkDocumentation SpecialComment
let b:current_syntax = 'futhark'
