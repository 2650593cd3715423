import type { FileEvent } from './fileEvents.ts';
import { LineTrail, unreported } from './lineTrail.ts';
import { placeHunks, type Splice } from './placeHunks.ts';

/** A file through its events: the trail of its lines, and the steps whose change could not be followed. */
export interface ReplayResult {
  readonly trail: LineTrail;
  /** The file exists after the last event. */
  readonly exists: boolean;
  readonly lost: readonly number[];
  /** Each change was found in its recorded form. */
  readonly isExact: boolean;
}

/** Applies events to a text; `null`: the file does not exist yet. `hasUnknownEnd`: whether the text ends with a line break is unknown. */
export class Replay {
  readonly #trail: LineTrail;
  readonly #lostSteps: number[] = [];
  #exists: boolean;
  #hasUnknownEnd: boolean;
  #isExact = true;

  constructor(base: readonly string[] | null, hasUnknownEnd: boolean) {
    this.#trail = new LineTrail(base ?? []);
    this.#exists = base !== null;
    this.#hasUnknownEnd = hasUnknownEnd && base !== null;
  }

  add(event: FileEvent): void {
    switch (event.kind) {
      case 'seen':
        // A read does not show whether a line break follows the last line.
        this.#setLines(event.lines);
        return;
      case 'written':
        this.setText(event.lines, event.step);
        return;
      case 'deleted':
        this.setText(null, event.step);
        return;
      case 'patched':
        for (const splice of this.#placePatch(event)) this.#splice(splice, event.step);
        return;
      case 'swapped':
        this.#swap(event);
        return;
      case 'lost':
        this.#lostSteps.push(event.step);
    }
  }

  #setLines(lines: readonly string[]): void {
    const next = this.#trail.texts.at(-1) === '' ? [...lines, ''] : lines;
    this.#exists = true;
    this.#trail.replace(0, this.#trail.texts.length, next, unreported);
  }

  /** The whole text is known to be this now; `null`: there is no file. */
  setText(lines: readonly string[] | null, by: number): void {
    if (this.#hasUnknownEnd && lines?.at(-1) === '' && this.#trail.texts.at(-1) !== '') this.#trail.endLine();
    // Most texts end with a line break.
    if (this.#hasUnknownEnd && lines === null) this.#trail.endLine();
    this.#hasUnknownEnd = false;
    this.#exists = lines !== null;
    this.#trail.replace(0, this.#trail.texts.length, lines ?? [], by);
  }

  end(): ReplayResult {
    const isExact = this.#isExact && this.#lostSteps.length === 0;
    return { trail: this.#trail, exists: this.#exists, lost: this.#lostSteps, isExact };
  }

  #placePatch({ step, hunks }: Extract<FileEvent, { kind: 'patched' }>): Splice[] {
    const places = placeHunks(this.#trail.texts, hunks);
    if (places.includes(null)) this.#lostSteps.push(step);
    return places.filter((place) => place !== null);
  }

  #splice({ at, count, lines, expected }: Splice, by: number): void {
    if (expected !== undefined) {
      this.#isExact = false;
      this.#trail.replace(at, count, expected, unreported);
    }
    this.#trail.replace(at, count, lines, by);
  }

  #swap({ step, oldText, newText, all }: Extract<FileEvent, { kind: 'swapped' }>): void {
    const text = this.#trail.texts.join('\n');
    if (oldText === '') {
      if (text === '') this.setText(newText.split('\n'), step);
      else this.#lostSteps.push(step);
      return;
    }
    const places = placesOf(text, oldText);
    if (places.length === 0 || (places.length > 1 && !all)) {
      this.#lostSteps.push(step);
      return;
    }
    // From the end, so that the places before it stay where they are.
    for (const at of places.reverse()) {
      const first = text.slice(0, at).split('\n').length - 1;
      const last = first + oldText.split('\n').length - 1;
      const lines = this.#trail.texts.slice(first, last + 1).join('\n');
      const start = at - (text.lastIndexOf('\n', at - 1) + 1);
      const next = `${lines.slice(0, start)}${newText}${lines.slice(start + oldText.length)}`;
      this.#trail.replace(first, last - first + 1, next.split('\n'), step);
    }
  }
}

const maxPlaces = 10_000;

export function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1 && places.length < maxPlaces; at = text.indexOf(part, at + part.length))
    places.push(at);
  return places;
}
