/** Vendors by model name, with their names in OpenTelemetry's conventions and on models.dev. */
const makers: readonly { readonly name: RegExp; readonly otel: string; readonly modelsDev: string }[] = [
  { name: /claude/i, otel: 'anthropic', modelsDev: 'anthropic' },
  { name: /^(?:gpt|o\d|codex|chatgpt)/i, otel: 'openai', modelsDev: 'openai' },
  { name: /gemini/i, otel: 'gcp.gemini', modelsDev: 'google' },
  { name: /grok/i, otel: 'x_ai', modelsDev: 'xai' },
  { name: /mistral|codestral|devstral/i, otel: 'mistral_ai', modelsDev: 'mistral' },
  { name: /deepseek/i, otel: 'deepseek', modelsDev: 'deepseek' },
];

/** `gen_ai.provider.name`; the executor if the model is unknown. */
export function otelProvider(model: string | null | undefined, executor: string | undefined): string {
  return makers.find(({ name }) => name.test(model ?? ''))?.otel ?? executor ?? '_OTHER';
}

/** `provider/model` as on models.dev; only the model if its vendor is unknown. */
export function modelId(model: string): string {
  const maker = makers.find(({ name }) => name.test(model))?.modelsDev;
  return model.includes('/') || maker === undefined ? model : `${maker}/${model}`;
}
