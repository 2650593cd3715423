const [zero, comma] = [48, 44] as const;

/** The `count` non-negative integers that SQLite's `group_concat` wrote into a text. */
export function numbersIn(list: string, count: number): Float64Array {
  const numbers = new Float64Array(count);
  let [place, value] = [0, 0];
  for (let at = 0; at < list.length; at += 1) {
    const code = list.charCodeAt(at);
    if (code === comma) {
      numbers[place] = value;
      place += 1;
      value = 0;
    } else value = value * 10 + (code - zero);
  }
  if (place < count) numbers[place] = value;
  return numbers;
}
