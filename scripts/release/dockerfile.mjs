// Reads a Dockerfile: the layer and the settings that its lines make on their base.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the base, the files to copy (`from` in the folder of the file, `to` in the image, their `owner`), and the
 * settings as an image records them. Throws an Error for a line that it does not understand.
 */
export function readDockerfile(file) {
  const made = { base: undefined, copies: [], config: { Env: [] } };
  for (const [instruction, rest] of readLines(readFileSync(file, 'utf8'))) {
    const apply = instructions[instruction];
    if (!apply) throw new Error(`${file}: ${instruction} is not supported.`);
    apply(made, rest, path.dirname(file));
  }
  return made;
}

/** Lines as pairs of an instruction and its arguments, without comments, joined where they end in a backslash. */
function readLines(text) {
  const lines = text.replace(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return [...lines.matchAll(/^([A-Z]+)\s+(.+)$/gm)].map(([, instruction, rest]) => [
    instruction,
    rest.trim(),
  ]);
}

const instructions = {
  FROM: (made, rest) => (made.base = rest),
  COPY: (made, rest, folder) => {
    const [, owner = '0:0', source, to] = /^(?:--chown=(\d+:\d+) )?(\S+) (\/\S+)$/.exec(rest) ?? [];
    if (!source) throw new Error(`COPY ${rest} is not supported.`);
    made.copies.push({ from: path.join(folder, source), to, owner });
  },
  ENV: ({ config }, rest) => config.Env.push(...rest.split(/ +/)),
  USER: ({ config }, rest) => (config.User = rest),
  WORKDIR: ({ config }, rest) => (config.WorkingDir = rest),
  VOLUME: ({ config }, rest) => (config.Volumes = { ...config.Volumes, [rest]: {} }),
  EXPOSE: ({ config }, rest) => (config.ExposedPorts = { ...config.ExposedPorts, [`${rest}/tcp`]: {} }),
  STOPSIGNAL: ({ config }, rest) => (config.StopSignal = rest),
  ENTRYPOINT: ({ config }, rest) => (config.Entrypoint = JSON.parse(rest)),
  CMD: ({ config }, rest) => (config.Cmd = JSON.parse(rest)),
  HEALTHCHECK: ({ config }, rest) => {
    const [, options, command] = /^((?:--\S+ )*)CMD (\[.*\])$/.exec(rest);
    const times = Object.fromEntries([...options.matchAll(/--([a-z-]+)=(\d+)s/g)].map(([, ...pair]) => pair));
    const toNanoseconds = (name) => Number(times[name]) * 1e9;
    config.Healthcheck = {
      Test: ['CMD', ...JSON.parse(command)],
      Interval: toNanoseconds('interval'),
      Timeout: toNanoseconds('timeout'),
      StartPeriod: toNanoseconds('start-period'),
    };
  },
};
