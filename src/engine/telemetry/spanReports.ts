import { otlpRequest, otlpSpans } from '../../formats/export/otlp/otlp.ts';
import type { OtlpSpan } from '../../formats/export/otlp/otlpValue.ts';
import { redactedSource } from '../../formats/export/shared/redacted.ts';
import { Redactor } from '../../formats/redaction/redactor.ts';
import type { Log } from '../api.ts';
import type { OtlpSettings } from './otlpSettings.ts';
import { exportTools, sourceOf, secretTag } from '../archive/exportSession.ts';
import { EngineFailure } from '../failures/failures.ts';
import type { RecordReader } from '../record/contract.ts';
import { quote, worded } from '../failures/wording.ts';

/** Limits per request: number of spans, and characters after which no span is added. */
const batch = { spans: 256, characters: 1024 * 1024 };
const timeoutMs = 10_000;
/** Attributes with message content; sent only if the user enables it, as OpenTelemetry's conventions require. */
const content = new Set([
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
]);

export interface SpanReportDeps {
  readonly settings: () => { readonly otlp?: OtlpSettings };
  readonly openReader: (sessionId: string) => Promise<RecordReader>;
  /** Version of Vitrine. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  readonly log: Log;
}

/** Sends the spans of ended runs to the user's collector, except for recordings. */
export class SpanReports {
  readonly #deps: SpanReportDeps;
  /** The endpoint with a failure that was already reported. */
  #failedEndpoint: string | undefined;

  constructor(deps: SpanReportDeps) {
    this.#deps = deps;
  }

  /** Sends the spans with secrets masked. Returns a failure once until sending works again. Never rejects. */
  async send(sessionId: string, runId: string): Promise<EngineFailure | null> {
    const { otlp } = this.#deps.settings();
    if (otlp === undefined) return null;
    try {
      await this.#send(otlp, sessionId, runId);
      this.#failedEndpoint = undefined;
      return null;
    } catch (error) {
      const why = causeOf(error);
      this.#deps.log.warn(`${runId} was not reported to ${otlp.endpoint}: ${why}`);
      if (this.#failedEndpoint === otlp.endpoint) return null;
      this.#failedEndpoint = otlp.endpoint;
      return notSentFailure(otlp.endpoint, why);
    }
  }

  async #send(otlp: OtlpSettings, sessionId: string, runId: string): Promise<void> {
    const url = tracesUrl(otlp.endpoint);
    const reader = await this.#deps.openReader(sessionId);
    try {
      if (reader.summary.recording) return;
      const run = (await reader.runs()).find(({ run_id: id }) => id === runId);
      if (run === undefined) throw new Error('its record does not have the run');
      const key = this.#deps.randomHex(32);
      const source = redactedSource(await sourceOf(reader, run), new Redactor((secret) => secretTag(key, secret)));
      const tools = exportTools(this.#deps);
      let spans: OtlpSpan[] = [];
      let characters = 0;
      const post = async (): Promise<void> => {
        await postJson(url, otlp, otlpRequest(source, tools, spans));
        spans = [];
        characters = 0;
      };
      for await (const span of otlpSpans(source, tools)) {
        const sent = otlp.content === true ? span : withoutContent(span);
        spans.push(sent);
        characters += JSON.stringify(sent).length;
        if (spans.length >= batch.spans || characters >= batch.characters) await post();
      }
      if (spans.length > 0) await post();
    } finally {
      await reader.close();
    }
  }
}

/** Accepts a base URL as in `OTEL_EXPORTER_OTLP_ENDPOINT`, or the URL for traces. @throws for an invalid URL */
export function tracesUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  if (!/^https?:$/.test(url.protocol)) throw new Error('the URL does not start with http:// or https://');
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url;
}

function withoutContent(span: OtlpSpan): OtlpSpan {
  const { code } = span.status;
  return {
    ...span,
    attributes: span.attributes.filter(({ key }) => !content.has(key)),
    // Error messages come from the agent and may quote anything, so they are left out.
    status: code === undefined ? {} : { code },
  };
}

/** @throws if the collector does not accept it */
async function postJson(url: URL, { headers }: OtlpSettings, body: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    // Headers may contain a key that is only meant for this URL.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
}

/** Must not include header values, which the error of `fetch` for a malformed header contains. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer within 10 seconds';
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return error instanceof TypeError ? 'the address or a header is malformed' : error.message;
}

function notSentFailure(endpoint: string, why: string): EngineFailure {
  const { origin } = URL.canParse(endpoint) ? new URL(endpoint) : { origin: endpoint };
  return new EngineFailure('spans_not_sent', {
    message: worded`Could not report this run to ${origin}.`,
    detail: worded`${quote(why)}. The run and its record are complete. Vitrine does not repeat this message while reporting keeps failing. Change or clear vitrine.otlp.endpoint.`,
    action: 'openSettings',
  });
}
