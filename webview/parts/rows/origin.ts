import type { Origin } from '../../../src/model/transcript/entry.ts';
import type { PageEntry } from '../../../src/protocol/panel/messages.ts';
import { triggerWord } from '../../../src/protocol/panel/triggerWord.ts';
import { t } from '../../l10n.ts';
import { originOf } from '../../rows/origins.ts';
import { plain } from '../../text/visible.ts';

export interface OriginView {
  readonly icon: string;
  readonly word: string;
  /** Label of an automatic prompt. */
  readonly by: string;
}

/** Author of a message, from what wrote it, never from its text. `member`: the person, if not the reader. */
export function originView(entry: PageEntry, member?: string): OriginView {
  const origin = originOf(entry);
  const view = views()[origin];
  const { trigger_type: trigger, trigger_reason: reason } = entry.metadata ?? {};
  const why = [trigger === undefined ? '' : triggerWord(trigger, t), reason === undefined ? '' : plain(reason)];
  const word = origin === 'human' && member !== undefined ? plain(member) : view.word;
  return { ...view, word, by: [view.by, ...why].filter((part) => part !== '').join(' · ') };
}

function views(): Readonly<Record<Origin, OriginView>> {
  return {
    human: { icon: 'account', word: t('You'), by: '' },
    follow_up: { icon: 'sync', word: t('Follow-up'), by: t('Sent automatically by Vitrine, not by you') },
    callback: {
      icon: 'call-incoming',
      word: t('Child result'),
      by: t('Reported by a child session, not written by you'),
    },
    subagent: { icon: 'agent', word: t('Subagent'), by: t('Written for a subagent, not by you') },
    hook: { icon: 'plug', word: t('Hook'), by: t('Written by a hook, not by you') },
    skill: { icon: 'lightbulb', word: t('Skill'), by: t('Added by a skill, not by you') },
    compaction: { icon: 'fold', word: t('Compaction'), by: t('Summary created during compaction') },
    replay: { icon: 'history', word: t('Recording'), by: t('Replayed from a recording') },
    system: { icon: 'gear', word: t('System'), by: t('Written by the agent program, not by you') },
  };
}
