interface ToolAnswer {
  [key: string]: unknown;
  readonly isError?: true;
  content: { type: 'text'; text: string }[];
}

/** Makes the answer of a tool; what fails is an answer, too. Secrets are masked. */
export type Answer = (work: () => Promise<unknown>) => Promise<ToolAnswer>;
