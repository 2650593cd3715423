import type { ResultMetadata } from '../../model/session/result.ts';

/** Stands in for a model that the agent does not name. Without one, `reason` says why there is none. */
export interface AskedModel {
  readonly model: string | null;
  readonly reason: string;
}

const unnamed = 'The agent did not say which model it used';

/**
 * `sessionOfArgument`: the model that a person chose for this run. Where no one did, agents differ in whether they resume that of
 * the conversation or with their own: only what all earlier runs were asked for is taken for it.
 */
export function askedModelOf(
  given: string | null | undefined,
  previous: readonly Pick<ResultMetadata, 'askedModel'>[],
): AskedModel {
  if (given !== null && given !== undefined && given !== '') {
    return { model: given, reason: `${unnamed}; this is the price of ${given}, which was asked for.` };
  }
  const asked = new Set(previous.map(({ askedModel }) => askedModel));
  const [first] = asked;
  if (asked.size === 1 && first !== undefined) {
    const reason = `${unnamed}; this is the price of ${first}, which was asked for in the earlier runs.`;
    return { model: first, reason };
  }
  if (asked.size > 1) {
    return { model: null, reason: `${unnamed}, and the earlier runs of the session were asked for different ones.` };
  }
  return { model: null, reason: `${unnamed}.` };
}
