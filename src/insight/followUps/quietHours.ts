const day = 24 * 60;

/** Minutes of the local day, from 0; `to` is the first that is not quiet, and may be on the next day. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

/** `{from: '22:00', to: '07:00'}` in minutes; equal times leave nothing quiet. */
export function quietHours(hours: { readonly from: string; readonly to: string }): QuietHours {
  return { from: minutes(hours.from), to: minutes(hours.to) };
}

function minutes(time: string): number {
  const [hours = 0, rest = 0] = time.split(':').map(Number);
  return hours * 60 + rest;
}

/**
 * The first time from `at` on outside all quiet hours; `null` if they cover the whole day. Epoch milliseconds; `minuteOfDay`
 * returns the local minute of a time.
 */
export function skipQuietHours(
  at: number,
  quiet: readonly QuietHours[],
  minuteOfDay: (at: number) => number,
): number | null {
  let moment = at;
  // If a clock is set back, a time of day may occur twice.
  for (let looks = 0; looks <= 2 * quiet.length; looks += 1) {
    const minute = minuteOfDay(moment);
    const now = quiet.find(({ from, to }) => (minute - from + day) % day < (to - from + day) % day);
    if (now === undefined) return moment;
    moment = nextAt(now.to, moment, minuteOfDay);
  }
  return null;
}

/** When clocks next show the minute; if they skip it, shortly after. */
function nextAt(minute: number, from: number, minuteOfDay: (at: number) => number): number {
  const begin = from - (from % 60_000);
  const guess = begin + ((minute - minuteOfDay(from) + day) % day) * 60_000;
  // Adjusts for changes of the clock in between.
  const off = ((minute - minuteOfDay(guess) + day + day / 2) % day) - day / 2;
  const corrected = guess + off * 60_000;
  return minuteOfDay(corrected) === minute ? corrected : guess;
}
