/** Parts that pages are made of. */
import { html, type Html } from '../../lib/html.ts';

/** The title and the content of a page. */
export interface PageContent {
  title: string;
  content: Html;
}

/** Builds a page of a heading, a notice if there is one, and its content. */
export const buildPage = (title: string, notice: string | undefined, ...content: Html[]): PageContent => ({
  title,
  content: html`<h1>${title}</h1>
    ${renderNotice(notice)}${content}`,
});

/** Renders the message about the last request, which screen readers read first. */
export const renderNotice = (notice: string | undefined): Html | undefined =>
  notice === undefined ? undefined : html`<p class="notice" role="alert">${notice}</p> `;

/** Renders the hidden field with the token of a form. */
export const renderToken = (token: string): Html =>
  html`<input type="hidden" name="token" value="${token}" />`;

/** A row of a summary: a label and its value. Names come from others, so the text around them does not reorder them. */
export interface SummaryRow {
  label: string;
  value: string;
  /** Explains the row in small print: `3 × €5.00`. */
  note?: string;
  isTotal?: boolean;
}

/** Renders rows of labels and values. */
export const renderSummary = (rows: SummaryRow[]): Html =>
  html`<dl>
    ${rows.map(
      ({ label, value, note, isTotal }) =>
        html`<div ${isTotal ? html`class="total"` : undefined}>
          <dt>
            <bdi>${label}</bdi>${note === undefined ? undefined : html`<small><bdi>${note}</bdi></small>`}
          </dt>
          <dd><bdi>${value}</bdi></dd>
        </div> `,
    )}
  </dl> `;

/** A field of a form. */
export interface Field {
  /** The name in the form, also the id of the element. */
  name: string;
  label: string;
  value: string;
  /** The token of the HTML attribute `autocomplete`. */
  autocomplete: string;
  hint?: string;
  /** Why the value was refused. */
  problem?: string;
  /** The choices of a list; without them the field is a line of text. */
  choices?: { value: string; label: string }[];
  isRequired?: boolean;
  maxLength?: number;
}

/** Renders a field with its label, and below it the problem or the hint. */
export function renderField(field: Field): Html {
  const { name, label, problem, hint } = field;
  const note = problem ?? hint;
  return html`<p class="field">
    <label for="${name}">${label}</label>
    ${renderControl(field)}${note === undefined ? undefined : html`<small id="${name}-note" ${problem && html` class="problem"`}>${note}</small>`}
  </p> `;
}

function renderControl({
  name,
  value,
  autocomplete,
  hint,
  problem,
  choices,
  isRequired,
  maxLength = 200,
}: Field): Html {
  const note = problem ?? hint;
  const attributes = html`id="${name}" name="${name}"
  autocomplete="${autocomplete}"${isRequired ? html` required` : undefined}${note && html` aria-describedby="${name}-note"`}${problem && html` aria-invalid="true"`}`;
  if (!choices) return html`<input ${attributes} value="${value}" maxlength="${String(maxLength)}" />`;
  return html`<select ${attributes}>
    ${choices.map(
      (choice) =>
        html`<option value="${choice.value}" ${choice.value === value ? html`selected` : undefined}>
          ${choice.label}
        </option> `,
    )}
  </select>`;
}
