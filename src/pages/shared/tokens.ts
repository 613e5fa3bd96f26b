/** The colours of the customers' pages. */

/** The colours that a tenant's colour does not change. Texts have a contrast of at least 4.5:1 on each background. */
export interface Palette {
  page: string;
  card: string;
  /** The background of fields and of rows under the pointer. */
  raised: string;
  text: string;
  soft: string;
  /** Lines between rows. */
  line: string;
  /** The border of a field: at least 3:1. */
  edge: string;
  badText: string;
  badBack: string;
  goodText: string;
  goodBack: string;
  waitText: string;
  waitBack: string;
}

/** The colours made of the tenant's. */
export interface Accent {
  /** The background of the main button, and the text on it. */
  accent: string;
  onAccent: string;
  /** The colour as text and as border: at least 4.5:1 on the page and on the card. */
  accentText: string;
}

export const light: Palette = {
  page: '#f4f5f7',
  card: '#ffffff',
  raised: '#f7f8fa',
  text: '#16181d',
  soft: '#585f6b',
  line: '#dfe2e7',
  edge: '#868d99',
  badText: '#9b1c12',
  badBack: '#fdeceb',
  goodText: '#12613c',
  goodBack: '#e6f5ec',
  waitText: '#6b4a00',
  waitBack: '#fdf1d3',
};

export const dark: Palette = {
  page: '#0f1114',
  card: '#181b20',
  raised: '#1e2228',
  text: '#eceef2',
  soft: '#a4abb8',
  line: '#2f343d',
  edge: '#6d7583',
  badText: '#ffb4ab',
  badBack: '#3b1a18',
  goodText: '#86dcae',
  goodBack: '#12301f',
  waitText: '#f3d38a',
  waitBack: '#3a2f14',
};

/** The accents of tenants without a colour. */
export const lightAccent: Accent = { accent: '#14663f', onAccent: '#ffffff', accentText: '#14663f' };
export const darkAccent: Accent = { accent: '#6fd3a0', onAccent: '#0b1f14', accentText: '#6fd3a0' };

/** Writes colours as declarations of CSS variables: `--bad-text: #9b1c12;`. */
export const declareColors = (colors: Palette | Accent): string =>
  Object.entries(colors)
    .map(([name, color]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${color};`)
    .join(' ');
