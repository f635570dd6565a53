import { AppError, systemErrorCode } from '../errors.js';

/** Location and bucket for error messages, and secrets that messages must not contain. */
export interface S3FaultContext {
  location: string;
  bucket: string;
  secrets: readonly string[];
}

interface S3Error {
  name: string;
  message: string;
  status: number | undefined;
  /** Code of the connection's system error. */
  code: string | undefined;
}

const credentialFaults = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'AuthorizationHeaderMalformed',
  'CredentialsProviderError',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
  'InvalidSecurity',
  'NotSignedUp',
];
const bucketFaults = ['NoSuchBucket', 'PermanentRedirect', 'TemporaryRedirect', 'InvalidBucketName'];
const fullFaults = ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'];
const timeouts = ['TimeoutError', 'AbortError', 'RequestTimeout'];
const network =
  /^(E(CONN|HOST|NET|PIPE|ADDR|AI_|TIMEDOUT|PROTO)|ENOTFOUND|CERT_|UNABLE_|DEPTH_|SELF_SIGNED|ERR_(TLS|SSL))/;

/** Reads an error of the SDK, which may have any type, or the error of a single key (`Code`, `Message`). */
function parseError(error: unknown): S3Error {
  // Every field is checked before use.
  const { name, Code, message, Message, $metadata } = (error ?? {}) as Record<string, unknown>;
  const status = ($metadata as { httpStatusCode?: unknown } | undefined)?.httpStatusCode;
  const firstText = (...values: unknown[]) => values.find((value) => typeof value === 'string' && value !== '');
  return {
    name: String(firstText(Code, name) ?? 'UnknownError'),
    message: String(firstText(Message, message) ?? ''),
    status: typeof status === 'number' ? status : undefined,
    // `cause` may be anything: systemErrorCode checks it.
    code: systemErrorCode(error) ?? systemErrorCode((error as { cause?: unknown } | undefined)?.cause),
  };
}

const isNetwork = ({ code }: S3Error) => code !== undefined && network.test(code);

export function isNoSuchKey(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound'].includes(parseError(error).name);
}

export function isTransient(error: unknown): boolean {
  const found = parseError(error);
  const busy = found.status === 429 || ((found.status ?? 0) >= 500 && found.status !== 507);
  return busy || isNetwork(found) || timeouts.includes(found.name) || found.name === 'SlowDown';
}

function sentenceFor(error: S3Error, { location, bucket }: S3FaultContext): string {
  const { name, status, code } = error;
  if (credentialFaults.includes(name) || status === 401)
    return `The file storage ${location} refuses the credentials: check the access key, its secret and the region.`;
  if (name === 'RequestTimeTooSkewed')
    return `The file storage ${location} has another time: check this machine's clock.`;
  if (bucketFaults.includes(name) || status === 301)
    return `The file storage ${location} has no bucket "${bucket}" here: check the bucket's name, the region and the endpoint.`;
  if (status === 403)
    return `The file storage ${location} denies access: check that the access key may list, read, write and delete objects.`;
  if (timeouts.includes(name))
    return `The file storage ${location} doesn't answer in time: check the endpoint and the network.`;
  if (isNetwork(error))
    return `The file storage ${location} can't be reached (${code}): check the endpoint and the network.`;
  const what = status === undefined ? name : `${name}, status ${status}`;
  return `The file storage ${location} fails (${what}): check the endpoint and what its server reports.`;
}

/**
 * Returns the cause for the log. The SDK's errors contain whole requests and responses, so only their messages are kept.
 */
function causeOf({ name, message, code }: S3Error, secrets: readonly string[]): Error {
  const clean = secrets.reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, '***')), message);
  return new Error([name, code, clean].filter(Boolean).join(': '));
}

/** Translates an error of the SDK; returns errors of local files and AppErrors unchanged. */
export function s3Fault(error: unknown, context: S3FaultContext): unknown {
  if (error instanceof AppError) return error;
  const found = parseError(error);
  if (found.code === 'ENOENT' || found.code === 'EACCES' || found.code === 'EIO') return error;
  const cause = causeOf(found, context.secrets);
  if (found.status === 507 || fullFaults.includes(found.name))
    return new AppError('DISK_FULL', 'There is no space left in the file storage. Its operator must free some.', {
      cause,
    });
  return new AppError('STORAGE_UNAVAILABLE', sentenceFor(found, context), { cause });
}
