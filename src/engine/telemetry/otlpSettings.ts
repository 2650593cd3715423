/** An OpenTelemetry collector that accepts OTLP over HTTP. */
export interface OtlpSettings {
  /** As in `OTEL_EXPORTER_OTLP_ENDPOINT`: `/v1/traces` is appended. */
  readonly endpoint: string;
  /** Sent with every request, for example an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Includes messages, tool inputs and outputs. Default false. */
  readonly content?: boolean;
}
