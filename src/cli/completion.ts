import { Argument, type Command } from 'commander';
import type { Io } from './io.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Adds `completion`. The script includes the commands that have been added before. */
export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  $ perennial completion bash > /etc/bash_completion.d/perennial
  $ perennial completion zsh > "\${fpath[1]}/_perennial"
  $ perennial completion fish > ~/.config/fish/completions/perennial.fish`,
    )
    .action((shell: (typeof shells)[number]) => io.out(scripts[shell](listPlaces(program, ''))));
}

/** The words that can follow a command: `create` after `key`. */
interface Place {
  /** The commands so far, separated by spaces. */
  path: string;
  words: { word: string; help: string }[];
}

function listPlaces(command: Command, path: string): Place[] {
  const commands = command.commands.map((each) => ({ word: each.name(), help: each.description() }));
  const options = command.options.map(({ long, description }) => ({ word: long!, help: description }));
  const inner = command.commands.flatMap((each) => listPlaces(each, `${path} ${each.name()}`.trim()));
  return [{ path, words: [...commands, ...options, { word: '--help', help: 'how to use it' }] }, ...inner];
}

/** Quotes a text for a shell. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const joinWords = ({ words }: Place) => words.map(({ word }) => word).join(' ');

const formatCases = (places: Place[]) =>
  places.map((place) => `    ${quote(place.path)}) words=${quote(joinWords(place))} ;;`).join('\n');

// Falls back to file names if no command or option matches.
const bash = (places: Place[]) => `_perennial() {
  local path='' next words word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && continue
    next="\${path:+$path }$word"
    case "$next" in ${places
      .slice(1)
      .map(({ path }) => quote(path))
      .join('|')}) path=$next ;; esac
  done
  case "$path" in
${formatCases(places)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _perennial perennial
`;

const zsh = (places: Place[]) => `#compdef perennial
_perennial() {
  local path_='' next_ words_ word_
  for word_ in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word_ == -* ]] && continue
    next_="\${path_:+$path_ }$word_"
    case "$next_" in (${places
      .slice(1)
      .map(({ path }) => quote(path))
      .join('|')}) path_=$next_ ;; esac
  done
  case "$path_" in
${formatCases(places).replaceAll(') words=', ') words_=')}
  esac
  compadd -- \${=words_} || _files
}
compdef _perennial perennial
`;

function fish(places: Place[]): string {
  const lines = places.flatMap(({ path, words }) => {
    const condition = `test (__perennial_path) = ${quote(path)}`;
    return words.map(({ word, help }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c perennial -n ${quote(condition)} ${what} -d ${quote(help)}`;
    });
  });
  const paths = places.map(({ path }) => quote(path)).join(' ');
  return `function __perennial_path
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$path $word")
    contains -- $next ${paths}; and set path $next
  end
  echo "$path"
end
${lines.join('\n')}
`;
}

const scripts = { bash, zsh, fish };
