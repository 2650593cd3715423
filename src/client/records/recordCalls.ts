import { type ReviewDecision, reviewDecisionSchema } from '../../model/files/review.ts';
import type { CallName, GivenParams, ResultOf } from '../../protocol/daemon/calls.ts';

type Call = <N extends CallName>(name: N, params: GivenParams<N>) => Promise<ResultOf<N>>;

/** Changes to records that a client requests. Only the daemon writes records. */
export function recordCalls(call: Call) {
  return {
    decide: async (session_id: string, decision: { readonly at: string } | ReviewDecision): Promise<void> => {
      const review = reviewDecisionSchema.safeParse(decision).data;
      if (review !== undefined) {
        await call('noteReview', { session_id, decision: review });
        return;
      }
      await call('noteExport', { session_id, decision: { ...decision, type: 'export' } });
    },
    remove: async (session_id: string, reason: GivenParams<'remove'>['reason']): Promise<void> => {
      await call('remove', { session_id, reason });
    },
    import: (request: GivenParams<'import'>): Promise<ResultOf<'import'>> => call('import', request),
    pack: (session_ids: readonly string[]): Promise<ResultOf<'pack'>> =>
      call('pack', { session_ids: [...session_ids] }),
    unpack: async (session_id: string): Promise<void> => {
      await call('unpack', { session_id });
    },
  };
}
