import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/config.js';

/** The bucket, and how long to wait for its server. */
export interface S3Settings extends Omit<S3Config, 'kind'> {
  /** How long the server may send nothing, in milliseconds. */
  timeoutMs?: number;
}

/** The AWS SDK, loaded when it is used. */
export type Sdk = typeof import('@aws-sdk/client-s3');

/** The maximal number of attempts of a request. */
export const attempts = 3;

/** The default of `timeoutMs`. */
export const defaultTimeoutMs = 20_000;

const ignore = () => undefined;
/** Without a logger the SDK writes some warnings to the console. */
const noLogger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** DeleteObjects needs a checksum; MD5 is the only one that all servers support. */
export function checkByMd5(command: DeleteObjectsCommand): DeleteObjectsCommand {
  command.middlewareStack.add(
    (next) => (args) => {
      // The SDK doesn't type it; after the step "serialize" it is an HTTP request with a text body.
      const { headers, body } = args.request as { headers: Record<string, string>; body: string };
      for (const name of Object.keys(headers)) if (/^x-amz-(sdk-)?checksum-/i.test(name)) delete headers[name];
      headers['content-md5'] = createHash('md5').update(body).digest('base64');
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return command;
}

/** Creates the SDK's client, compatible with other servers than AWS. */
export function createS3Client(sdk: Sdk, settings: S3Settings): S3Client {
  const { accessKeyId, secretAccessKey, endpoint, timeoutMs = defaultTimeoutMs } = settings;
  return new sdk.S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: attempts,
    retryMode: 'standard',
    // Other servers than AWS don't support the SDK's newer default checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: noLogger,
    requestHandler: {
      connectionTimeout: Math.min(timeoutMs, 5000),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      // Each slow download occupies one.
      httpAgent: { maxSockets: 500 },
      httpsAgent: { maxSockets: 500 },
      // A slow reader is no fault; open() detects a stalled server.
      socketTimeout: 0,
    },
  });
}

/** Calls `onStall` whenever `position` hasn't changed for `ms` milliseconds. @returns a function that stops watching */
export function watchProgress(position: () => number, ms: number, onStall: () => void): () => void {
  let last = position();
  const timer = setInterval(() => {
    const now = position();
    if (now === last) onStall();
    last = now;
  }, ms);
  return () => clearInterval(timer);
}

/** Breaks off a download when its server sends nothing for `ms` milliseconds; a slow reader doesn't count. */
export function limitDownloadStall(body: IncomingMessage, ms: number): void {
  const { socket } = body;
  // While unread data is buffered, or everything has arrived, the server isn't stalled: NaN never equals the last position.
  const position = () => (body.readableLength > 0 || body.complete ? Number.NaN : socket.bytesRead);
  const onStall = () => body.destroy(new Error('The file storage stopped sending.'));
  body.once('close', watchProgress(position, ms, onStall));
}
