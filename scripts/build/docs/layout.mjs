// The frame of every page of the documentation.

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML. */
export const escapeHtml = (text) => String(text).replaceAll(/[&<>"]/g, (character) => escapes[character]);

/** The address of a page: '' is the first one. */
export const urlOf = (path) => (path === '' ? '/docs' : `/docs/${path}`);

/** Turns a heading into an anchor, as GitHub does. */
export const slugify = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** A part that scrolls sideways, which the keyboard reaches. */
export const scrollable = (html, label) =>
  `<div class="scroll" role="group" aria-label="${escapeHtml(label)}" tabindex="0">${html}</div>`;

/** A table; cells are HTML. */
export function renderTable(label, heads, rows) {
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  return scrollable(`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`, label);
}

/** A block of code with its language as its label. */
export const renderCode = (text, label = 'Code') =>
  `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${escapeHtml(text.trimEnd())}</code></pre>`;

/** Renders a page with the navigation; `sections` are all pages by section. */
export function renderPage(page, sections, assets) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · Perennial</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets['docs.css']}">
<script src="${assets['docs.js']}" defer data-index="${assets['search.json']}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs">Perennial <span>Docs</span></a>
<search class="search"><label for="page-search">Search</label><input id="page-search" type="search" autocomplete="off" placeholder="Search" aria-controls="found" disabled><ul id="found" hidden></ul></search>
<button id="theme" type="button" hidden>Theme</button>
</header>
<div class="frame">
<nav class="side" aria-label="Pages"><details open><summary>Pages</summary>
${sections.map((section) => renderSection(section, page)).join('\n')}
</details></nav>
<main id="content" tabindex="-1">
<h1>${escapeHtml(page.title)}</h1>
${page.html}
</main>
</div>
</body>
</html>
`;
}

function renderSection({ title, pages }, current) {
  const listed = pages.filter(({ isHidden }) => !isHidden);
  const items = listed.map((page) => {
    const mark = page.path === current.path ? ' aria-current="page"' : '';
    return `<li><a href="${urlOf(page.path)}"${mark}>${escapeHtml(page.short ?? page.title)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
}
