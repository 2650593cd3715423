/** A collector of OpenTelemetry that takes OTLP over HTTP. */
export interface OtlpSettings {
  /** As `OTEL_EXPORTER_OTLP_ENDPOINT`: `/v1/traces` comes behind it. */
  readonly endpoint: string;
  /** Sent with every request; a key belongs here. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What people and agents said, what tools were given and gave, too. Default false. */
  readonly content?: boolean;
}
