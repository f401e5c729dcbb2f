// See assets.h.
#include "tools/doc/assets.h"

namespace dagaz::tools::doc {

std::string_view style_sheet() {
  return R"css(:root {
  color-scheme: light dark;
  --text: #1c1f24; --quiet: #5c6470; --back: #ffffff; --panel: #f4f5f7; --line: #d9dce1;
  --link: #0b5cad; --keyword: #8a2d6b; --type: #1d6f5c; --number: #9a5200; --comment: #6a727d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #dfe3ea; --quiet: #98a1ae; --back: #15181c; --panel: #1f242a; --line: #363d46;
    --link: #7ab8f5; --keyword: #e08cc0; --type: #7fd1bb; --number: #e5a765; --comment: #8a939f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back);
  font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
header { position: sticky; top: 0; display: flex; gap: 1rem; align-items: center;
  padding: .5rem 1.5rem; background: var(--panel); border-bottom: 1px solid var(--line); }
header .home { font-weight: 600; }
header .search { position: relative; margin-left: auto; width: min(24rem, 50vw); }
header input { width: 100%; padding: .3rem .6rem; font: inherit; color: inherit;
  background: var(--back); border: 1px solid var(--line); border-radius: .3rem; }
#found { position: absolute; right: 0; left: 0; margin: .2rem 0 0; padding: 0; list-style: none;
  max-height: 70vh; overflow: auto; background: var(--back); border: 1px solid var(--line); }
#found:empty { display: none; }
#found a { display: block; padding: .3rem .6rem; color: inherit; }
#found a:hover, #found a.chosen { background: var(--panel); text-decoration: none; }
#found small { display: block; color: var(--quiet); white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis; }
.columns { display: flex; justify-content: center; }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 1.5rem 6rem; }
nav { flex: none; width: 15rem; max-height: calc(100vh - 3.2rem); overflow: auto; position: sticky;
  top: 3.2rem; padding: 1rem 0 1rem 1.5rem; font-size: .92rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .12rem 0; color: inherit; }
nav .section { padding-left: 1rem; color: var(--quiet); }
nav .here > a:first-child { font-weight: 600; color: var(--link); }
@media (max-width: 50rem) {
  .columns { display: block; }
  nav { position: static; width: auto; max-height: 12rem; padding-right: 1.5rem;
    border-bottom: 1px solid var(--line); }
}
h1 { font-size: 1.6rem; }
section { margin: 1.4rem 0; scroll-margin-top: 4rem; }
section section { margin-left: 1.5rem; padding-left: 1rem; border-left: 2px solid var(--line); }
pre { margin: 0; overflow-x: auto; font: .9rem/1.5 ui-monospace, monospace; }
pre.head { padding: .5rem .8rem; background: var(--panel); border-radius: .3rem; }
section > .text { margin: .4rem .8rem; }
code { font: .92em ui-monospace, monospace; }
p code, li code { padding: 0 .2em; background: var(--panel); border-radius: .2em; }
article :is(h1, h2, h3, h4) { scroll-margin-top: 4rem; }
article img { max-width: 100%; }
article table { display: block; overflow-x: auto; margin: 1rem 0; }
article :is(td, th) { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top; }
.text pre { padding: .5rem .8rem; background: var(--panel); border-radius: .3rem; }
.note { margin: .3rem .8rem; font-size: .88rem; color: var(--quiet); }
.source { float: right; padding: .5rem .8rem; font-size: .85rem; }
.line { scroll-margin-top: 4rem; }
.line:target { background: var(--panel); }
.number { display: inline-block; width: 3.5em; padding-right: 1em; text-align: right;
  color: var(--quiet); user-select: none; }
.k { color: var(--keyword); } .t, .c { color: var(--type); } .n, .s { color: var(--number); }
.m { color: var(--comment); }
pre a { color: inherit; text-decoration: underline; text-decoration-color: var(--line); }
table { border-collapse: collapse; } td { padding: .15rem 1rem .15rem 0; vertical-align: top; }
)css";
}

std::string_view search_script() {
  return R"js('use strict';
// Each entry is [name, kind, address, summary]; the addresses count from the root of the site.
(() => {
  const field = document.getElementById('search');
  const list = document.getElementById('found');
  const root = document.documentElement.dataset.root;
  const most = 40;
  let chosen = 0;

  function score(name, wanted) {
    const last = name.slice(name.lastIndexOf('.') + 1) || name;
    if (last === wanted) return 0;
    if (last.startsWith(wanted)) return 1;
    if (name.startsWith(wanted)) return 2;
    return name.includes(wanted) ? 3 : 4;
  }

  function show() {
    const wanted = field.value.trim().toLowerCase();
    list.replaceChildren();
    chosen = 0;
    if (wanted === '') return;
    const found = [];
    for (const entry of dagazEntries) {
      const rank = score(entry[0].toLowerCase(), wanted);
      if (rank < 4) found.push([rank, entry]);
      else if (entry[3].toLowerCase().includes(wanted)) found.push([5, entry]);
    }
    found.sort((a, b) => a[0] - b[0] || a[1][0].length - b[1][0].length);
    for (const [, [name, kind, address, summary]] of found.slice(0, most)) {
      const link = document.createElement('a');
      link.href = root + address;
      const title = document.createElement('span');
      title.textContent = `${name} `;
      const about = document.createElement('small');
      about.textContent = summary === '' ? kind : `${kind}: ${summary}`;
      link.append(title, about);
      link.addEventListener('click', () => list.replaceChildren());
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
    mark();
  }

  function mark() {
    [...list.querySelectorAll('a')].forEach((link, i) => {
      link.classList.toggle('chosen', i === chosen);
    });
  }

  field.addEventListener('input', show);
  field.addEventListener('keydown', (event) => {
    const links = list.querySelectorAll('a');
    if (event.key === 'ArrowDown') chosen = Math.min(chosen + 1, links.length - 1);
    else if (event.key === 'ArrowUp') chosen = Math.max(chosen - 1, 0);
    else if (event.key === 'Enter' && links[chosen]) links[chosen].click();
    else if (event.key === 'Escape') list.replaceChildren();
    else return;
    event.preventDefault();
    mark();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    }
  });
})();
)js";
}

}  // namespace dagaz::tools::doc
