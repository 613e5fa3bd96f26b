// Draws a bar chart of the ratios to the floor, as SVG.

const barHeight = 16;
const gap = 4;
const groupGap = 26;
const labelWidth = 150;
const barWidth = 420;
const width = labelWidth + barWidth + 150;
const colors = { perennial: '#1b7f5c', floor: '#8a8f98', other: '#c3c8cf' };

const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Draws a group of bars for each workload with completed requests. */
export function drawChart({ machine, workloads }) {
  const groups = workloads.filter(({ variants }) => variants.some((variant) => variant.ratioToFloor));
  const longest = Math.max(
    1,
    ...groups.flatMap(({ variants }) => variants.map((each) => each.ratioToFloor ?? 0)),
  );
  const parts = [];
  let top = 40;
  for (const { name, variants } of groups) {
    parts.push(`<text x="0" y="${top}" font-weight="bold">${escapeText(name)}</text>`);
    top += gap + 4;
    for (const variant of variants.filter((each) => each.ratioToFloor)) {
      parts.push(drawBar(variant, top, longest));
      top += barHeight + gap;
    }
    top += groupGap;
  }
  const title = `Requests per second as ratios to the floor, on ${machine.cpu}, Node ${machine.node}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 0 ${width + 20} ${top}" font-family="sans-serif" font-size="12">`,
    `<rect x="-10" width="${width + 20}" height="${top}" fill="#ffffff"/>`,
    `<text x="0" y="16" font-size="13">${escapeText(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function drawBar({ name, requestsPerSecond, p50Ms, ratioToFloor }, top, longest) {
  const length = Math.max(1, Math.round((ratioToFloor / longest) * barWidth));
  const figure = requestsPerSecond === null ? `${p50Ms} ms` : `${requestsPerSecond.toLocaleString('en')}/s`;
  const baseline = top + barHeight - 4;
  return [
    `<text x="${labelWidth - 6}" y="${baseline}" text-anchor="end">${escapeText(name)}</text>`,
    `<rect x="${labelWidth}" y="${top}" width="${length}" height="${barHeight}" fill="${colors[name] ?? colors.other}"/>`,
    `<text x="${labelWidth + length + 6}" y="${baseline}">${ratioToFloor.toFixed(2)} (${figure})</text>`,
  ].join('');
}
