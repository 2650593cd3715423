const errorsByStatus = new Map<number, string>([
  [400, 'invalid_request'],
  [401, 'authentication_failed'],
  [403, 'permission_denied'],
  [404, 'model_not_found'],
  [413, 'request_too_large'],
  [429, 'rate_limit'],
  [529, 'overloaded'],
]);

/** Code of an error entry for what a model's server answered. */
export function codeOfStatus(status: number): string {
  return errorsByStatus.get(status) ?? (status >= 500 ? 'server_error' : 'api_error');
}
