import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/config.js';

export interface S3Settings extends Omit<S3Config, 'kind'> {
  /** Maximum time without data from the server, in milliseconds. */
  timeoutMs?: number;
}

export type Sdk = typeof import('@aws-sdk/client-s3');

export const attempts = 3;

export const defaultTimeoutMs = 20_000;

const ignore = () => undefined;
/** Replaces the SDK's default logger, which writes warnings to the console. */
const noLogger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Adds an MD5 checksum to a request: DeleteObjects needs a checksum, and all servers support only MD5. */
export function checkByMd5(command: DeleteObjectsCommand): DeleteObjectsCommand {
  command.middlewareStack.add(
    (next) => (args) => {
      // The SDK has no type for this request. After the step "serialize" it is an HTTP request with a text body.
      const { headers, body } = args.request as { headers: Record<string, string>; body: string };
      for (const name of Object.keys(headers)) if (/^x-amz-(sdk-)?checksum-/i.test(name)) delete headers[name];
      headers['content-md5'] = createHash('md5').update(body).digest('base64');
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return command;
}

/** Creates the SDK's client with options that servers other than AWS support. */
export function createS3Client(sdk: Sdk, settings: S3Settings): S3Client {
  const { accessKeyId, secretAccessKey, endpoint, timeoutMs = defaultTimeoutMs } = settings;
  return new sdk.S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: attempts,
    retryMode: 'standard',
    // Servers other than AWS don't support the SDK's newer default checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: noLogger,
    requestHandler: {
      connectionTimeout: Math.min(timeoutMs, 5000),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      // Each slow download occupies a socket.
      httpAgent: { maxSockets: 500 },
      httpsAgent: { maxSockets: 500 },
      // A slow reader is no fault. S3Storage.open() detects a stalled server.
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

/** Aborts a download if its server sends nothing for `ms` milliseconds. A slow reader doesn't count. */
export function limitDownloadStall(body: IncomingMessage, ms: number): void {
  const { socket } = body;
  // The server isn't stalled while unread data is buffered or after everything has arrived. NaN never equals the last
  // position.
  const position = () => (body.readableLength > 0 || body.complete ? Number.NaN : socket.bytesRead);
  const onStall = () => body.destroy(new Error('The file storage stopped sending.'));
  body.once('close', watchProgress(position, ms, onStall));
}
