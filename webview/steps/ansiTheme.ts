import { cssOf, readableColor, type Rgb, rgbOf } from './contrast.ts';

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
/** Names of the sixteen colors, and their theme tokens. */
const tokens: ReadonlyMap<string, string> = new Map(
  ['', 'bright-'].flatMap((bright) =>
    names.map((name): [string, string] => {
      const tail = name.charAt(0).toUpperCase() + name.slice(1);
      return [`${bright}${name}`, `--vscode-terminal-ansi${bright === '' ? '' : 'Bright'}${tail}`];
    }),
  ),
);

/**
 * The theme's sixteen terminal colors. Unreadable ones get a readable shade, as in VS Code's terminal;
 * styles/transcript/detail.css uses `--ansi-…` of the body.
 */
export class AnsiTheme {
  #key = '';
  readonly #onChange: () => void;

  /** `changed` is called when the reader has chosen another theme. */
  constructor(changed: () => void) {
    this.#onChange = changed;
    this.#updateColors();
    const observer = new MutationObserver(() => this.#updateColors());
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
    observer.observe(document.body, { attributes: true, attributeFilter: ['class'] });
  }

  /** One of the sixteen theme colors. */
  color(name: string): Rgb | undefined {
    return token(tokens.get(name) ?? '');
  }

  get ground(): Rgb {
    return token('--vscode-terminal-background') ?? token('--vscode-panel-background') ?? [0, 0, 0];
  }

  get foreground(): Rgb {
    return token('--vscode-terminal-foreground') ?? token('--vscode-foreground') ?? [255, 255, 255];
  }

  #updateColors(): void {
    const { ground } = this;
    const key = [ground, ...[...tokens.keys()].map((name) => this.color(name))].join(';');
    if (key === this.#key) return;
    const isFirst = this.#key === '';
    this.#key = key;
    for (const name of tokens.keys()) {
      const color = this.color(name);
      if (color === undefined) document.body.style.removeProperty(`--ansi-${name}`);
      else document.body.style.setProperty(`--ansi-${name}`, cssOf(readableColor(color, ground)));
    }
    if (!isFirst) this.#onChange();
  }
}

function token(name: string): Rgb | undefined {
  return name === '' ? undefined : rgbOf(getComputedStyle(document.body).getPropertyValue(name));
}
