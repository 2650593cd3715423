import type { ResultMetadata } from '../../model/session/result.ts';

/** The model to assume if the agent does not name one. If there is none, `reason` says why. */
export interface AskedModel {
  readonly model: string | null;
  readonly reason: string;
}

const unnamed = 'The agent did not report its model';

/**
 * `selected`: the model chosen for this run. Without a choice, some agents resume with the conversation's model and
 * some with their own, so the model is assumed only if all earlier runs used the same.
 */
export function askedModelOf(
  selected: string | null | undefined,
  previous: readonly Pick<ResultMetadata, 'askedModel'>[],
): AskedModel {
  if (selected !== null && selected !== undefined && selected !== '') {
    return { model: selected, reason: `${unnamed}; this is the price of ${selected}, which you selected.` };
  }
  const models = new Set(previous.map(({ askedModel }) => askedModel));
  const [first] = models;
  if (models.size === 1 && first !== undefined) {
    const reason = `${unnamed}; this is the price of ${first}, which you selected for the earlier runs.`;
    return { model: first, reason };
  }
  if (models.size > 1) {
    return { model: null, reason: `${unnamed}, and you selected different models for the earlier runs.` };
  }
  return { model: null, reason: `${unnamed}.` };
}
