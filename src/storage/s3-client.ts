import { createHash } from 'node:crypto';
import type { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/config.js';

/** The bucket, and how long to wait for its server. */
export interface S3Settings extends Omit<S3Config, 'kind'> {
  /** How long the server may say nothing, in milliseconds. */
  timeoutMs?: number;
}

/** The AWS SDK, loaded when it is used. */
export type Sdk = typeof import('@aws-sdk/client-s3');

/** How often a request is sent at most. */
export const attempts = 3;

/** How long a server may say nothing, if the settings don't say, in milliseconds. */
export const defaultTimeoutMs = 20_000;

const silence = () => undefined;
/** Without a logger of its own the SDK writes some warnings to the console. */
const quietly = { trace: silence, debug: silence, info: silence, warn: silence, error: silence };

/** DeleteObjects must carry a checksum; only the oldest kind is known to all servers. */
export function checkByMd5(command: DeleteObjectsCommand): DeleteObjectsCommand {
  command.middlewareStack.add(
    (next) => (args) => {
      // Not typed by the SDK; after the step "serialize" it is an HTTP request, and this one's body is text.
      const { headers, body } = args.request as { headers: Record<string, string>; body: string };
      for (const name of Object.keys(headers)) if (/^x-amz-(sdk-)?checksum-/i.test(name)) delete headers[name];
      headers['content-md5'] = createHash('md5').update(body).digest('base64');
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return command;
}

/** The SDK's client, made for servers of all kinds. */
export function createS3Client(sdk: Sdk, settings: S3Settings): S3Client {
  const { accessKeyId, secretAccessKey, endpoint, timeoutMs = defaultTimeoutMs } = settings;
  return new sdk.S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: attempts,
    retryMode: 'standard',
    // Other servers than AWS don't know the checksums that the SDK adds of late.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: quietly,
    requestHandler: {
      connectionTimeout: Math.min(timeoutMs, 5000),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      // Each download that somebody reads slowly holds one.
      httpAgent: { maxSockets: 500 },
      httpsAgent: { maxSockets: 500 },
      // A download that its reader lets wait is no fault; a server's silence is watched for in open().
      socketTimeout: 0,
    },
  });
}
