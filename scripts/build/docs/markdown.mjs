// Renders the Markdown files of docs/ as pages. HTML in them is text, so nothing in them can run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import markdownIt from 'markdown-it';
import { root } from '../../setup.mjs';
import { escapeHtml, renderCode, slugify, urlOf } from './layout.mjs';

/** The sections of the navigation, with the files or folders of their pages. */
const sources = [
  { title: 'Guides', files: list('docs/guides') },
  {
    title: 'Reference',
    files: ['errors', 'errors-by-operation', 'events', 'limits', 'interface', 'documents'].map(toDoc),
  },
  { title: 'Operations', files: [...list('docs/operations'), 'docs/security.md'] },
  {
    title: 'Inside',
    files: [
      'docs/architecture.md',
      'docs/performance.md',
      'docs/dependencies.md',
      'CHANGELOG.md',
      ...list('docs/decisions'),
    ],
  },
];

function toDoc(name) {
  return `docs/${name}.md`;
}

function list(folder) {
  const names = readdirSync(path.join(root, folder)).filter((name) => name.endsWith('.md'));
  return names
    .toSorted((a, b) => parseInt(a) - parseInt(b) || (a < b ? -1 : 1))
    .map((name) => `${folder}/${name}`);
}

const toPath = (file) =>
  file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase();

const known = new Map(sources.flatMap(({ files }) => files.map((file) => [file, toPath(file)])));

/** Files of the repository that other addresses of the server have. */
const elsewhere = { 'openapi.json': '/api/v1/openapi.json' };

/** Files that the pages show or offer. */
const offered = /\.(png|svg|mjs|graphql)$/;

/** Renders all pages, in sections. `addAsset` takes a file of the repository and returns its address. */
export function renderMarkdownPages(addAsset) {
  return sources.map(({ title, files }) => ({
    title,
    pages: files.map((file) => renderFile(file, addAsset)),
  }));
}

function renderFile(file, addAsset) {
  const text = readFileSync(path.join(root, file), 'utf8').replaceAll(
    /<img src="([^"]+)"[^>]*? alt="([^"]*)">/g,
    '![$2]($1)',
  );
  const renderer = createRenderer((href) => resolveLink(file, href, addAsset));
  const tokens = renderer.parse(text, {});
  const [, heading] = tokens.splice(0, tokens[0]?.tag === 'h1' ? 3 : 0);
  const title = heading
    ? renderer.renderer.renderInlineAsText(heading.children, {}, {})
    : path.basename(file);
  const short = title.split(':')[0];
  const isHidden = file.startsWith('docs/decisions/');
  // Gives the headings their ids, too.
  const html = renderer.renderer.render(tokens, renderer.options, {});
  return { path: toPath(file), title, short, isHidden, html, text, headings: listHeadings(tokens, text) };
}

/** The headings of a text, each with the position at which its line begins. */
function listHeadings(tokens, text) {
  const begins = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) begins.push(at + 1);
  return tokens
    .map((token, index) => ({ token, inline: tokens[index + 1] }))
    .filter(({ token }) => token.type === 'heading_open')
    .map(({ token, inline }) => ({
      id: token.attrGet('id'),
      title: inline.content,
      at: begins[token.map[0]],
    }));
}

function createRenderer(resolve) {
  const renderer = markdownIt({ html: false });
  const { rules } = renderer.renderer;
  rules.heading_open = (tokens, index, options, env, self) => {
    const id = slugify(self.renderInlineAsText(tokens[index + 1].children, options, env));
    const times = ((env.ids ??= new Map()).get(id) ?? 0) + 1;
    env.ids.set(id, times);
    tokens[index].attrSet('id', times === 1 ? id : `${id}-${times - 1}`);
    return self.renderToken(tokens, index, options);
  };
  rules.fence = (tokens, index) =>
    renderCode(tokens[index].content, tokens[index].info.split(' ')[0] || 'Code');
  rules.table_open = () => '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>';
  rules.table_close = () => '</table></div>';
  rules.th_open = () => '<th scope="col">';
  rules.td_open = () => '<td>';
  rules.image = (tokens, index) => {
    const { content } = tokens[index];
    const src = resolve(tokens[index].attrGet('src'));
    return `<img src="${escapeHtml(src)}" alt="${escapeHtml(content)}" loading="lazy">`;
  };
  rules.link_open = (tokens, index, options, env, self) => {
    const href = resolve(tokens[index].attrGet('href'));
    // Files of the repository that the server does not have are named, not linked.
    if (href === undefined) {
      closeOf(tokens, index).hidden = true;
      return '';
    }
    tokens[index].attrSet('href', href);
    return self.renderToken(tokens, index, options);
  };
  rules.link_close = (tokens, index) => (tokens[index].hidden ? '' : '</a>');
  return renderer;
}

function closeOf(tokens, index) {
  return tokens.slice(index).find(({ type }) => type === 'link_close');
}

/** Returns the address of a link in a file; undefined for what the server does not have. */
function resolveLink(file, href, addAsset) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [target, anchor] = href.split('#');
  const wanted = path.posix.join(path.posix.dirname(file), target);
  const suffix = anchor ? `#${anchor}` : '';
  if (known.has(wanted)) return urlOf(known.get(wanted)) + suffix;
  if (elsewhere[wanted]) return elsewhere[wanted];
  if (offered.test(wanted) && existsSync(path.join(root, wanted))) return addAsset(wanted);
  return undefined;
}
