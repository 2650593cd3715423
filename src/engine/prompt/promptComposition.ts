import type { AgentLauncher, LaunchRequest } from '../launch/agentLauncher.ts';
import type { ResumeRequest } from '../api.ts';
import { messageFollows, recallNote, recallText } from '../recall/recallPrompt.ts';
import type { Note } from '../run/note.ts';

interface PromptStart {
  /** The agent starts a new conversation. */
  readonly startsConversation: boolean;
  /** Context from the record, put before the prompt for the agent only. */
  readonly prefix: string;
}

/** Combines the user's prompt with additional text for the agent, and notes that in the transcript. */
export function composePrompt(
  source: Pick<AgentLauncher, 'label' | 'takesSystemPrompt'>,
  request: Pick<ResumeRequest, 'prompt' | 'options' | 'blueprint' | 'recall'>,
  { startsConversation, prefix }: PromptStart,
): Pick<LaunchRequest, 'prompt' | 'options'> & { readonly notes: readonly Note[] } {
  const { options = {}, blueprint, recall } = request;
  const { label, takesSystemPrompt = false } = source;
  const notes = [
    ...(prefix === '' ? [] : [newConversationNote(label, prefix)]),
    ...(recall === undefined ? [] : [recallNote(label, recall)]),
  ];
  const recalled = recall === undefined ? '' : recallText(recall);
  const prompt = recalled + (recalled !== '' && prefix === '' ? messageFollows : prefix) + request.prompt;
  const system = blueprint?.systemPrompt?.trim() ?? '';
  if (system === '') return { prompt, options, notes };
  if (takesSystemPrompt) {
    const appendSystemPrompt = [options.appendSystemPrompt ?? '', system].filter((text) => text !== '').join('\n\n');
    return { prompt, options: { ...options, appendSystemPrompt }, notes };
  }
  if (!startsConversation) return { prompt, options, notes };
  return { prompt: `${system}\n\n${prompt}`, options, notes: [systemNote(label, system), ...notes] };
}

function systemNote(label: string, system: string): Note {
  return {
    subtype: 'system_prompt',
    content: `${label} does not accept a system prompt, so Vitrine added the agent file's instructions before the first prompt:\n\n${quoted(system)}`,
  };
}

function newConversationNote(label: string, prefix: string): Note {
  return {
    subtype: 'fresh_start',
    content: `${label} began a new conversation. Before the prompt, Vitrine sent:\n\n${quoted(prefix)}`,
  };
}

const quoted = (text: string): string => text.trim().replaceAll(/^/gm, '> ');
