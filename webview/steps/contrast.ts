export type Rgb = readonly [red: number, green: number, blue: number];

/** WCAG's minimum for text, as in VS Code's terminal. */
const least = 4.5;
const shades = 20;

/** `#rgb`, `#rrggbb` with or without alpha, `rgb(…)`: the formats of themes. Alpha is ignored. */
export function rgbOf(css: string): Rgb | undefined {
  const hex = /^#([\da-f]{3,8})$/i.exec(css.trim())?.[1];
  if (hex !== undefined) {
    const long = hex.length < 6 ? Array.from(hex, (digit) => digit + digit).join('') : hex;
    const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(long.slice(at, at + 2), 16));
    return red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue];
  }
  const [, red, green, blue] = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/.exec(css.trim()) ?? [];
  return red === undefined ? undefined : [Number(red), Number(green), Number(blue)];
}

export function cssOf([red, green, blue]: Rgb): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

/** Colors 16 to 255 of the terminal's palette: a color cube and greys. */
export function paletteRgb(number: number): Rgb {
  if (number >= 232) {
    const grey = 8 + (number - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (part: number): number => (part === 0 ? 0 : 55 + part * 40);
  const at = number - 16;
  return [level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)];
}

/** `text`, shifted towards white or black until it is readable on `ground`. */
export function readableColor(text: Rgb, ground: Rgb): Rgb {
  const end: Rgb = contrast([255, 255, 255], ground) > contrast([0, 0, 0], ground) ? [255, 255, 255] : [0, 0, 0];
  for (let shade = 0; shade < shades; shade += 1) {
    const mixed = mixColors(text, end, shade / shades);
    if (contrast(mixed, ground) >= least) return mixed;
  }
  return end;
}

function mixColors([red, green, blue]: Rgb, [toRed, toGreen, toBlue]: Rgb, part: number): Rgb {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * part);
  return [between(red, toRed), between(green, toGreen), between(blue, toBlue)];
}

/** Contrast from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (part: number): number =>
    part / 255 <= 0.040_45 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
