// The pages of the documentation: search, the theme, and the navigation of narrow windows. They work without it.
import MiniSearch from 'minisearch';

const { index: indexUrl } = document.currentScript.dataset;
const field = document.querySelector('#page-search');
const found = document.querySelector('#found');
const button = document.querySelector('#theme');
const options = { fields: ['title', 'page', 'text'], storeFields: ['title', 'page', 'url'], idField: 'url' };
const most = 12;

/** The console keeps its theme under the same name. */
const themeKey = 'theme';
const themes = ['system', 'light', 'dark'];

let loading;
const load = () =>
  (loading ??= fetch(indexUrl)
    .then((response) => response.text())
    .then((text) => MiniSearch.loadJSON(text, options)));

async function search() {
  const query = field.value.trim();
  const index = await load();
  // Something else may have been typed meanwhile.
  if (query !== field.value.trim()) return;
  const results = index.search(query, {
    prefix: true,
    fuzzy: 0.15,
    combineWith: 'AND',
    boost: { title: 4, page: 2 },
  });
  found.replaceChildren(...(query === '' ? [] : results.slice(0, most).map(renderResult)));
  if (query !== '' && results.length === 0) found.append(renderNothing(query));
  found.hidden = query === '';
}

function renderResult({ title, page, url }) {
  const link = document.createElement('a');
  link.href = url;
  link.textContent = title;
  if (page) {
    const place = document.createElement('small');
    place.textContent = page;
    link.append(place);
  }
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function renderNothing(query) {
  const item = document.createElement('li');
  item.textContent = `Nothing is found for “${query}”.`;
  return item;
}

/** Moves through the results with the arrow keys; Escape closes them. */
function moveThroughResults(event) {
  if (event.key === 'Escape') {
    found.hidden = true;
    field.focus();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const stops = [field, ...found.querySelectorAll('a')];
  stops[Math.min(Math.max(stops.indexOf(document.activeElement) + step, 0), stops.length - 1)].focus();
}

function readTheme() {
  try {
    const kept = JSON.parse(localStorage.getItem(themeKey) ?? '"system"');
    return themes.includes(kept) ? kept : 'system';
  } catch {
    return 'system';
  }
}

function showTheme(theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.textContent = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' }[theme];
}

field.disabled = false;
field.addEventListener('focus', load);
field.addEventListener('input', () => void search());
document.querySelector('.search').addEventListener('keydown', moveThroughResults);
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName);
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search')) found.hidden = true;
});

button.hidden = false;
button.addEventListener('click', () => {
  const next = themes[(themes.indexOf(readTheme()) + 1) % themes.length];
  localStorage.setItem(themeKey, JSON.stringify(next));
  showTheme(next);
});
showTheme(readTheme());

const pages = document.querySelector('.side details');
if (matchMedia('(max-width: 899px)').matches) pages.open = false;
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'center' });
if (location.hash === '') scrollTo(0, 0);
