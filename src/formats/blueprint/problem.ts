/** A place in a text: line and character count from 0, the character in UTF-16 units. */
export interface TextPlace {
  readonly line: number;
  readonly character: number;
}

/** What is wrong with a blueprint, where, and what to do. An `error` keeps it from being started. */
export interface BlueprintProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly from: TextPlace;
  readonly to: TextPlace;
}
