import { codeOfStatus } from '../../shared/httpErrors.ts';

/** Codes of error entries, from the fields of a line, and otherwise from the CLI's fixed texts. */

/** The CLI's messages about an unknown conversation. */
export const unknownSessionText = /^(?:Error: )?No conversation found with session ID/m;

const fixedTexts: readonly (readonly [RegExp, string])[] = [
  [unknownSessionText, 'unknown_session'],
  [/^Credit balance is too low/, 'billing_error'],
  [/\bPlease run \/login\b|^Invalid API key\b|^Not logged in\b/, 'authentication_failed'],
  [/\bUsage Policy\b/, 'refusal'],
  [/\boutput token maximum\b/, 'max_output_tokens'],
];

const statusInText = /^API Error(?:: | \()(\d{3})\b|\((\d{3})\)/;

export interface ApiErrorFields {
  readonly error?: string | undefined;
  readonly status?: number | undefined;
  readonly type?: string | undefined;
  readonly message: string;
}

/** The code of an error that the agent reports in its stream. */
export function errorCode({ error, status, type, message }: ApiErrorFields): string | undefined {
  if (type === 'overloaded_error') return 'overloaded';
  if (error !== undefined && error !== 'unknown') return error;
  const match = statusInText.exec(message);
  const shown = match?.[1] ?? match?.[2];
  const known = status ?? (shown === undefined ? undefined : Number(shown));
  if (known !== undefined) return codeOfStatus(known);
  return fixedTexts.find(([pattern]) => pattern.test(message))?.[1];
}

/** Messages on stderr if the CLI does not start a run. */
export const fixedStderr: readonly (readonly [RegExp, string])[] = [
  [unknownSessionText, 'unknown_session'],
  [/^(?:Error: )?Session ID \S+ is already in use/m, 'session_in_use'],
  [/cannot be used with root\/sudo privileges/, 'root_bypass'],
  [
    /^error: (?:unknown option|unknown command|option |missing required|too many arguments|command-argument)/m,
    'bad_flag',
  ],
  [/^Error: (?:When using --print, )?--\S+ .*(?:requires|needs|cannot|can only|must)\b/m, 'bad_flag'],
  [/^Error: Input must be provided/m, 'no_prompt'],
  [/^Error parsing streaming input line/m, 'bad_input'],
];
