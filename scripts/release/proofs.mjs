// Starts what a release contains, each where nothing else of Perennial is, and asks it real requests.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { unpackImage } from './image.mjs';

const startMs = 120_000;
const nobody = { uid: 65_534, gid: 65_534 };
/** Nothing of the machine but where programs are and where npm keeps what it has loaded. */
const surroundings = ({ PATH, HOME }) => ({ PATH, HOME });

/** Installs the package from the registry into an empty folder, without what builds it, and serves the demo by npx. */
export async function provePackage(file, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{}');
  const options = { cwd: folder, env: surroundings(process.env) };
  execFileSync('npm', ['install', '--no-audit', '--no-fund', file], { ...options, stdio: 'pipe' });
  const args = ['perennial', 'serve', '--demo', 'catalog', '--port', '0'];
  await withServer('npx', args, options, async (server) =>
    askForData(server.url, findKey(await server.until(/prn_demo_\w+/))),
  );
}

/** Copies the executable into an empty folder, and serves the demo there with no variables, as a user without rights. */
export async function proveExecutable(file, folder) {
  mkdirSync(folder, { recursive: true });
  const program = path.join(folder, 'perennial');
  copyFileSync(file, program);
  chmodSync(program, 0o755);
  const home = path.join(folder, 'home');
  mkdirSync(home, { mode: 0o777 });
  chmodSync(home, 0o777);
  const user = process.getuid() === 0 ? nobody : {};
  const args = ['serve', '--demo', 'catalog', '--port', '0'];
  await withServer(program, args, { cwd: home, env: {}, ...user }, async (server) =>
    askForData(server.url, findKey(await server.until(/prn_demo_\w+/))),
  );
}

/**
 * Starts an image as a container engine does: in its own root file system, as process 1, as its user, with its variables
 * alone. Runs its health check before and after the start, creates a tenant in it, and stops it by its signal. Only for
 * root on Linux. Returns what it wrote into its volume.
 */
export async function proveImage(image, folder) {
  unpackImage(image, folder);
  const { User, WorkingDir, Env, Entrypoint, Cmd, Healthcheck, StopSignal, Volumes } = image.config;
  const port = await findFreePort();
  const env = Object.fromEntries([...Env, `PERENNIAL_PORT=${port}`].map((each) => each.split(/=(.*)/s)));
  const enter = ['chroot', `--userspec=${User}`, folder];
  const inside = (command, options = {}) =>
    execFileSync(enter[0], [...enter.slice(1), ...command], {
      env,
      encoding: 'utf8',
      stdio: 'pipe',
      ...options,
    });
  const [kind, ...check] = Healthcheck.Test;
  if (kind !== 'CMD') throw new Error(`A health check of the kind ${kind} is not supported.`);
  const early = findStatus(() => inside(check));
  if (early !== 1) throw new Error(`The health check ends with ${early} without a server.`);
  const isolated = ['--mount', '--pid', '--fork', '--mount-proc=/proc', `--wd=${WorkingDir}`];
  // `--wd` of unshare is a folder of the new root.
  const args = [...isolated, `--root=${folder}`, ...asUser(User), '--', ...Entrypoint, ...Cmd];
  await withServer('unshare', args, { env, stopSignal: StopSignal }, async () => {
    inside(check);
    const made = inside([...Entrypoint, 'tenant', 'create', 'acme', '--test', '--json']);
    await askForData(`http://127.0.0.1:${port}`, JSON.parse(made).apiKey);
  });
  return Object.keys(Volumes).flatMap((volume) => readdirSync(path.join(folder, volume)));
}

const asUser = (user) => {
  const [uid, gid] = user.split(':');
  return [`--setuid=${uid}`, `--setgid=${gid}`];
};

const findKey = (text) => /prn_demo_\w+/.exec(text)[0];

/** Creates a customer by GraphQL, reads it by REST, and opens the console, the documentation and the explorer. */
async function askForData(url, key) {
  const headers = { 'api-key': key, 'content-type': 'application/json' };
  const query =
    'mutation { createCustomer(input: { email: "ada@example.com", firstName: "Ada", lastName: "King", associatedId: "proof" }) { id } }';
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  const created = await response.json();
  const id = created.data?.createCustomer?.id;
  if (!id) throw new Error(`No customer was created: ${JSON.stringify(created)}`);
  const read = await (await fetch(`${url}/api/v1/customers?limit=1`, { headers })).json();
  if (read.data[0]?.id !== id) throw new Error(`REST does not list ${id}: ${JSON.stringify(read)}`);
  for (const page of ['/console', '/docs', '/graphql']) {
    const { status, body } = await readPage(`${url}${page}`);
    if (status !== 200 || !/<script/.test(body))
      throw new Error(`${page} responds ${status}: ${body.slice(0, 200)}`);
  }
}

async function readPage(url) {
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  return { status: response.status, body: await response.text() };
}

/** Runs a server until `use` is done, then stops it; throws unless it ends with code 0. */
async function withServer(command, args, { stopSignal = 'SIGTERM', ...options }, use) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const server = watch(child);
  try {
    const line = await server.until(/Server listening at http:\/\/[^"\s]+/);
    await use({ ...server, url: /Server listening at (http:\/\/[^"\s]+)/.exec(line)[1] });
    process.kill(findServer(child.pid), stopSignal);
    const code = await server.ended;
    if (code !== 0) throw new Error(`${command} ended with ${code} after ${stopSignal}:\n${server.output()}`);
  } finally {
    if (child.exitCode === null) process.kill(findServer(child.pid), 'SIGKILL');
  }
}

/** Collects the output of a process. */
function watch(child) {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  let hasEnded = false;
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      hasEnded = true;
      resolve(code ?? signal);
    });
  });
  const until = async (pattern) => {
    const deadline = performance.now() + startMs;
    while (!pattern.test(text)) {
      if (hasEnded || performance.now() > deadline) throw new Error(`The server did not start:\n${text}`);
      await pause(20);
    }
    return text;
  };
  return { until, ended, output: () => text };
}

/** The innermost process that serves: npx and unshare start it as a child, and pass no signals on. */
function findServer(pid) {
  const list = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean) : [];
  const child = children.find((each) =>
    /[\0 ]serve([\0 ]|$)/.test(readFileSync(`/proc/${each}/cmdline`, 'utf8')),
  );
  return child ? findServer(Number(child)) : pid;
}

/** The exit code of a program. */
function findStatus(work) {
  try {
    work();
    return 0;
  } catch (error) {
    return error.status;
  }
}

const findFreePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
