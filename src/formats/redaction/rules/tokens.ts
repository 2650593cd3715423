import { printableBase64 } from './base64.ts';
import { entropy, isWords, looksRandom } from './entropy.ts';
import { azureKeys, hexKeys } from './hexKeys.ts';
import { jsonWebTokens } from './jsonWebTokens.ts';
import { isEncodedKey, privateKeys } from './privateKeys.ts';
import { afterMarkOrEscape, notAfterWordOrDash, notAfterAlphanumeric, type SecretRule, type TextSpan } from './rule.ts';

/** Words that are long enough but also occur in ordinary texts. */
const ordinary: ReadonlySet<string> = new Set(['npm_', 'key-', 'ATTA', 'EAAA', 'secret_']);

function token(id: string, pattern: RegExp, ...requiredWords: string[]): SecretRule {
  return {
    id,
    requiredWords,
    pattern,
    hasRareRequiredWords: requiredWords.every((word) => word.length >= 4 && !ordinary.has(word)),
  };
}

/** Tokens with a unique prefix (as a pattern), followed by `rest`. */
function prefixedToken(id: string, prefix: string, rest: string, before = ''): SecretRule {
  return token(id, new RegExp(before + prefix.replaceAll('.', String.raw`\.`) + rest, 'g'), prefix);
}

/** Token formats as documented by their issuers. */
export const tokenRules: readonly SecretRule[] = [
  { id: 'private-key', requiredWords: ['PRIVATE KEY'], find: privateKeys },
  {
    id: 'private-key',
    requiredWords: ['LS0tLS1CRUdJTi'],
    pattern: /LS0tLS1CRUdJTi[A-Za-z0-9+/=]{40,65536}/g,
    accept: isEncodedKey,
  },
  prefixedToken('anthropic-key', 'sk-ant-', String.raw`[\w-]{20,200}`),
  prefixedToken('openrouter-key', 'sk-or-', String.raw`(?:v\d-)?[0-9a-f]{32,64}`),
  token(
    'openai-key',
    /sk-(?:proj|svcacct|admin|None)-[\w-]{20,250}/g,
    'sk-proj-',
    'sk-svcacct-',
    'sk-admin-',
    'sk-None-',
  ),
  token('openai-key', /sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}/g, 'T3BlbkFJ'),
  {
    id: 'openai-key',
    requiredWords: ['sk-'],
    pattern: new RegExp(String.raw`${notAfterAlphanumeric}sk-[A-Za-z0-9]{20,64}(?![A-Za-z0-9])`, 'g'),
    accept: looksRandom,
  },
  token('github-token', /gh[opsur]_[A-Za-z0-9]{36,251}/g, 'ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_'),
  prefixedToken('github-token', 'github_pat_', String.raw`\w{22,255}`),
  {
    id: 'gitlab-token',
    requiredWords: ['pat', 'dt', 'rt', 'cbt', 'ptt', 'ft', 'imt', 'agent', 'oas', 'soat', 'ffct'].map(
      (kind) => `gl${kind}-`,
    ),
    hasRareRequiredWords: true,
    pattern: /gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w-]{20,100}/g,
    accept: (secret) => !/^[a-z]+(?:-[a-z]+)+(?:-\d{1,3})?$/.test(secret),
  },
  prefixedToken('gitlab-token', 'GR1348941', String.raw`[\w-]{20}`),
  token(
    'aws-access-key',
    new RegExp(`${notAfterAlphanumeric}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])`, 'g'),
    'AKIA',
    'ASIA',
    'ABIA',
    'ACCA',
  ),
  prefixedToken('aws-session-token', 'IQoJb3JpZ2lu', '[A-Za-z0-9+/]{80,4000}={0,2}'),
  prefixedToken('aws-bedrock-key', 'ABSK', '[A-Za-z0-9+/]{90,280}={0,2}', notAfterAlphanumeric),
  prefixedToken('google-api-key', 'AIza', String.raw`[\w-]{35}`),
  prefixedToken('google-oauth', 'GOCSPX-', String.raw`[\w-]{28}`),
  prefixedToken('google-oauth', 'ya29.', String.raw`[\w-]{30,1000}`, notAfterAlphanumeric),
  prefixedToken('google-oauth', '1//0', String.raw`[\w-]{38,200}`, notAfterAlphanumeric),
  token('slack-token', /xox[abcdeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250}/g, 'xox', 'xapp-'),
  prefixedToken('slack-token', 'xoxe.xox', '[bp]-[A-Za-z0-9-]{10,250}'),
  token('slack-webhook', /hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/]{20,100}/g, 'hooks.slack.com'),
  token('discord-webhook', /discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{50,100}/g, '/api/webhooks/'),
  {
    id: 'discord-token',
    requiredWords: ['.'],
    pattern: new RegExp(
      String.raw`${notAfterAlphanumeric}[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])`,
      'g',
    ),
    accept: (secret) => looksRandom(secret) || /^\d{17,20}/.test(printableBase64(secret.slice(0, 24))),
  },
  token(
    'teams-webhook',
    /webhook\.office\.com\/webhookb2\/[\w@-]{36,90}\/IncomingWebhook\/[\w/-]{32,120}/g,
    'webhookb2',
  ),
  token('stripe-key', /[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}/g, 'k_live_', 'k_test_', 'k_prod_'),
  prefixedToken('stripe-key', 'whsec_', '[A-Za-z0-9+/]{24,100}'),
  token(
    'square-token',
    new RegExp(String.raw`${notAfterAlphanumeric}(?:EAAA[\w-]{60}|sq0[a-z]{3}-[\w-]{22,43})(?![\w-])`, 'g'),
    'EAAA',
    'sq0',
  ),
  prefixedToken('npm-token', 'npm_', '[A-Za-z0-9]{36}(?![A-Za-z0-9])'),
  prefixedToken('pypi-token', 'pypi-AgE', String.raw`[\w-]{50,1000}`),
  prefixedToken('rubygems-key', 'rubygems_', '[0-9a-f]{48}'),
  prefixedToken('nuget-key', 'oy2', '[a-z0-9]{43}(?![A-Za-z0-9])', notAfterAlphanumeric),
  prefixedToken('crates-token', 'cio', '[A-Za-z0-9]{32}(?![A-Za-z0-9])', notAfterWordOrDash),
  prefixedToken('huggingface-token', 'hf_', '[A-Za-z0-9]{34,40}(?![A-Za-z0-9])'),
  prefixedToken('groq-key', 'gsk_', '[A-Za-z0-9]{52}'),
  prefixedToken('xai-key', 'xai-', '[A-Za-z0-9]{70,90}'),
  prefixedToken('replicate-token', 'r8_', String.raw`[A-Za-z0-9]{37,40}(?!\w)`, notAfterWordOrDash),
  prefixedToken('perplexity-key', 'pplx-', '[A-Za-z0-9]{40,60}'),
  prefixedToken('nvidia-key', 'nvapi-', String.raw`[\w-]{60,80}`),
  prefixedToken('pinecone-key', 'pcsk_', String.raw`\w{50,80}`),
  prefixedToken('langsmith-key', 'lsv2_', '(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}'),
  prefixedToken('tavily-key', 'tvly-', String.raw`[\w-]{24,60}`),
  prefixedToken('sendgrid-key', 'SG.', String.raw`[\w-]{22}\.[\w-]{43}`),
  token('twilio-key', new RegExp(`${notAfterAlphanumeric}SK[0-9a-f]{32}(?![A-Za-z0-9])`, 'g'), 'SK'),
  prefixedToken('mailgun-key', 'key-', String.raw`[0-9a-f]{32}(?!\w)`, notAfterWordOrDash),
  prefixedToken('brevo-key', 'xkeysib-', '[0-9a-f]{64}-[A-Za-z0-9]{16}'),
  token(
    'mailchimp-key',
    new RegExp(String.raw`${notAfterAlphanumeric}[0-9a-f]{32}-us\d{1,2}(?!\w)`, 'g'),
    ...Array.from('123456789', (digit) => `-us${digit}`),
  ),
  prefixedToken('resend-key', 're_', '[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])', notAfterWordOrDash),
  token('shopify-token', /shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,64}/g, 'shpat_', 'shpca_', 'shppa_', 'shpss_'),
  token('linear-key', /lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,128}/g, 'lin_'),
  prefixedToken('notion-token', 'ntn_', '[A-Za-z0-9]{40,60}'),
  prefixedToken('notion-token', 'secret_', '[A-Za-z0-9]{43}(?![A-Za-z0-9])'),
  prefixedToken('airtable-token', 'pat', String.raw`[A-Za-z0-9]{14}\.[0-9a-f]{64}`, notAfterWordOrDash),
  token('figma-token', /fig[dou]r?_[\w-]{40,200}/g, 'figd_', 'figo_', 'figu_', 'figdr_', 'figor_', 'figur_'),
  token('vercel-token', /vc[aikpr]_[A-Za-z0-9]{24,60}(?!\w)/g, 'vca_', 'vci_', 'vck_', 'vcp_', 'vcr_'),
  prefixedToken('vercel-token', 'vercel_blob_rw_', String.raw`\w{30,80}`),
  prefixedToken('netlify-token', 'nfp_', '[A-Za-z0-9]{36,60}'),
  prefixedToken('render-key', 'rnd_', '[A-Za-z0-9]{28,40}(?![A-Za-z0-9])', notAfterWordOrDash),
  token('fly-token', /fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,4000}={0,3}/g, 'fo1_', 'fm1', 'fm2_'),
  token('heroku-key', /HRKU-(?:AA[\w-]{58}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/g, 'HRKU-'),
  token('cloudflare-token', /cf(?:k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}/g, 'cfk_', 'cfut_', 'cfat_'),
  token('tailscale-key', /tskey-[a-z]{2,20}-[0-9A-Za-z]{8,40}-[0-9A-Za-z]{16,60}/g, 'tskey-'),
  prefixedToken('databricks-token', 'dapi', String.raw`[0-9a-f]{32}(?![A-Za-z0-9])`, notAfterAlphanumeric),
  token('digitalocean-token', /do[opr]_v1_[0-9a-f]{64}/g, '_v1_'),
  token('docker-token', /dckr_(?:pat|oat)_[\w-]{27,60}/g, 'dckr_'),
  token(
    'vault-token',
    new RegExp(String.raw`${notAfterAlphanumeric}hv[bsr]\.[\w-]{24,300}`, 'g'),
    'hvs.',
    'hvb.',
    'hvr.',
  ),
  prefixedToken('terraform-token', '.atlasv1.', String.raw`[\w=-]{60,70}`, String.raw`[A-Za-z0-9]{14}`),
  prefixedToken('pulumi-token', 'pul-', '[0-9a-f]{40}(?![A-Za-z0-9])', notAfterAlphanumeric),
  token('doppler-token', /dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}/g, 'dp.'),
  token('grafana-token', /glc_[A-Za-z0-9+/]{32,400}|glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}/g, 'glc_', 'glsa_'),
  token('newrelic-key', /NRAK-[A-Z0-9]{27}|NR(?:JS|II)-[\w-]{19,32}/g, 'NRAK-', 'NRJS-', 'NRII-'),
  token('sonar-token', /sq[pua]_[0-9a-f]{40}/g, 'sqp_', 'squ_', 'sqa_'),
  prefixedToken('artifactory-key', 'AKCp', '[A-Za-z0-9]{60,80}', notAfterAlphanumeric),
  token('circleci-token', /CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,30}_[0-9a-f]{40}/g, 'CCIP'),
  token('planetscale-token', /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/g, 'pscale_'),
  prefixedToken('1password-token', 'ops_ey', '[A-Za-z0-9+/=]{100,1300}'),
  prefixedToken('age-key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}'),
  prefixedToken('azure-client-secret', 'Q~', String.raw`[\w~.-]{31,34}`, String.raw`[\w~.]{3}\d`),
  { id: 'azure-devops-token', requiredWords: ['AZDO'], hasRareRequiredWords: true, find: devOpsTokens },
  token(
    'atlassian-token',
    /AT(?:ATT3|CTT3)[\w=-]{100,300}|ATBB[A-Za-z0-9]{32}(?![A-Za-z0-9])/g,
    'ATATT3',
    'ATCTT3',
    'ATBB',
  ),
  prefixedToken('trello-token', 'ATTA', '[0-9a-f]{72}'),
  token('hubspot-token', /pat-(?:na|eu)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'pat-na', 'pat-eu'),
  token('telegram-token', /(?<!\d)\d{8,10}:AA[\w-]{33}/g, ':AA'),
  {
    id: 'telegram-token',
    requiredWords: [':'],
    pattern: /(?<!\d)\d{8,10}:[\w-]{35}(?![A-Za-z\d-])/g,
    accept: looksRandom,
  },
  token('sentry-token', /sntr(?:ys|yu)_[\w+/=-]{40,400}/g, 'sntry'),
  prefixedToken('supabase-token', 'sbp_', '[0-9a-f]{40}'),
  prefixedToken('supabase-token', 'sb_secret_', String.raw`[\w-]{30,60}`),
  prefixedToken('postman-key', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'),
  prefixedToken('mapbox-token', 'sk.eyJ', String.raw`[\w-]{40,200}\.[\w-]{20,30}`, notAfterAlphanumeric),
  prefixedToken('dynatrace-token', 'dt0c01.', String.raw`[A-Z0-9]{24}\.[A-Z0-9]{64}`),
  token('shippo-token', /shippo_(?:live|test)_[0-9a-f]{40}/g, 'shippo_'),
  prefixedToken('alibaba-key', 'LTAI', '[A-Za-z0-9]{16,22}(?![A-Za-z0-9])', notAfterAlphanumeric),
  { id: 'aws-secret-key', requiredWords: [''], find: keysOf40Characters },
  { id: 'hex-key', requiredWords: [''], find: hexKeys },
  { id: 'azure-key', requiredWords: ['=='], find: azureKeys },
  token('azure-key', /(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}(?![A-Za-z0-9])/g, 'JQQJ99'),
  token('discord-token', /mfa\.[\w-]{80,90}/g, 'mfa.'),
  { id: 'jwt', requiredWords: ['eyJ'], find: jsonWebTokens },
];

/** Their distinguishing mark is near the end. */
function devOpsTokens(text: string): TextSpan[] {
  return Array.from(text.matchAll(/AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g), ({ index }) => index - 76)
    .filter((start) => start >= 0 && /^[A-Za-z0-9]{76}$/.test(text.slice(start, start + 76)))
    .map((start) => ({ start, end: start + 84 }));
}

const runsOf40 = /[A-Za-z0-9/+]{40,65536}/g;
const keyOf40 = new RegExp(String.raw`(?:(?<![\w/+-])|${afterMarkOrEscape})[A-Za-z0-9/+]{40}(?![\w/+=-])`);
/** Maximum length of text before a match that `begins` may inspect. */
const before = 12;

/** Keys without a name; other text may precede them directly. */
function keysOf40Characters(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  for (const { index, 0: run } of text.matchAll(runsOf40)) {
    if (run.length > 40 + before) continue;
    const from = Math.max(0, index - before);
    const match = keyOf40.exec(text.slice(from, index + run.length + 1));
    if (match === null || !isKeyOf40(match[0])) continue;
    found.push({ start: from + match.index, end: from + match.index + 40 });
  }
  return found;
}

/** Accepts mixed case with digits throughout or no words, unless it decodes to readable text. */
function isKeyOf40(secret: string): boolean {
  if (!/[A-Z]/.test(secret) || !/[a-z]/.test(secret) || !looksRandom(secret) || entropy(secret) < 4.2) return false;
  const numbers = secret.match(/\d+/g)?.length ?? 0;
  return (numbers >= 4 || !isWords(secret, 0.38)) && printableBase64(secret).length < 12;
}
