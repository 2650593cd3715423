/** A position in a text: 0-based line and character, in UTF-16 units. */
export interface TextPlace {
  readonly line: number;
  readonly character: number;
}

/** A problem in an agent file with its position and what to do. An `error` prevents starting the agent. */
export interface BlueprintProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly from: TextPlace;
  readonly to: TextPlace;
}
