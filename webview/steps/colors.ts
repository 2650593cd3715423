/** The chunk for colored program output, loaded when the first such output is opened. */
import Anser from 'anser';
import { ref } from 'lit/directives/ref.js';
import { html, type TemplateResult } from 'lit/html.js';
import { visibleTemplate } from '../text/shown.ts';
import { AnsiTheme } from './ansiTheme.ts';
import { cssOf, paletteRgb, readableColor, type Rgb, rgbOf } from './contrast.ts';

/** Elements for colors in one output; the rest is shown without colors. */
const maxSpans = 400;
/** Maximum characters with colors; the library's cost is linear. */
const maxCharacters = 400_000;

/** A theme color by name, or a fixed one. */
type Color = string | Rgb;

interface Colors {
  readonly fg: Color | undefined;
  readonly bg: Color | undefined;
}

interface TextStyle extends Colors {
  readonly text: string;
  readonly classes: string;
}

/** Colors of elements as the program printed them. */
const printed = new WeakMap<Element, Colors>();

const theme = new AnsiTheme(() => {
  for (const element of document.querySelectorAll<HTMLElement>('.ansi')) {
    const colors = printed.get(element);
    if (colors !== undefined) applyColors(element, colors);
  }
});

/** Text whose only terminal sequences are colors, as elements. */
export function renderColors(text: string): TemplateResult {
  const looks = textStyles(text.slice(0, maxCharacters));
  const rest = looks
    .slice(maxSpans)
    .map((look) => look.text)
    .join('');
  const beyond = text.slice(maxCharacters).replaceAll(/\u001b\[[\d;]*m/g, '');
  return html`${looks.slice(0, maxSpans).map(colorSpan)}${visibleTemplate(rest + beyond)}`;
}

/** Adjacent spans with the same style are joined. */
function textStyles(text: string): TextStyle[] {
  const looks: TextStyle[] = [];
  for (const chunk of Anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true })) {
    const look: TextStyle = {
      text: chunk.content,
      fg: colorOf(chunk.fg, chunk.fg_truecolor),
      bg: colorOf(chunk.bg, chunk.bg_truecolor),
      classes: decorations.filter((decoration) => chunk.decorations.includes(decoration)).join(' '),
    };
    const last = looks.at(-1);
    const same = String(last?.fg) === String(look.fg) && String(last?.bg) === String(look.bg);
    if (last !== undefined && same && last.classes === look.classes) {
      looks[looks.length - 1] = { ...look, text: last.text + look.text };
    } else {
      looks.push(look);
    }
  }
  return looks;
}

/** Concealed and blinking text is shown normally, so that nothing is hidden from readers. */
const decorations = ['bold', 'dim', 'italic', 'underline', 'strikethrough'] as const;

/** The library returns `null`, contrary to its types. */
function colorOf(name: string | null, exact: string | null): Color | undefined {
  if (name === null) return undefined;
  if (name === 'ansi-truecolor') return rgbOf(`rgb(${exact ?? ''})`);
  const palette = /^ansi-palette-(\d+)$/.exec(name)?.[1];
  return palette === undefined ? name.slice('ansi-'.length) : paletteRgb(Number(palette));
}

/** Theme colors use a class; others are adjusted to the background. */
function colorSpan({ text, fg, bg, classes }: TextStyle): TemplateResult {
  if (fg === undefined && bg === undefined && classes === '') return html`${visibleTemplate(text)}`;
  if (bg === undefined && (fg === undefined || typeof fg === 'string')) {
    return html`<span class="ansi ${fg === undefined ? '' : `fg-${fg}`} ${classes}">${visibleTemplate(text)}</span>`;
  }
  const painted = ref((element) => {
    if (!(element instanceof HTMLElement)) return;
    printed.set(element, { fg, bg });
    applyColors(element, { fg, bg });
  });
  return html`<span class="ansi ${classes}" ${painted}>${visibleTemplate(text)}</span>`;
}

function applyColors({ style }: HTMLElement, { fg, bg }: Colors): void {
  const ground = rgb(bg) ?? theme.ground;
  style.color = cssOf(readableColor(rgb(fg) ?? theme.foreground, ground));
  if (bg !== undefined) style.backgroundColor = cssOf(ground);
}

function rgb(color: Color | undefined): Rgb | undefined {
  return typeof color === 'string' ? theme.color(color) : color;
}
