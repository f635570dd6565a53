import { mkdirSync } from 'node:fs';
import S3rver from 's3rver';

/**
 * Starts an S3 server with an empty bucket on a free port of this machine. Its key and secret are `S3RVER`.
 * @param folder an empty or missing folder for the bucket's content
 */
export async function startS3(folder: string, bucket: string): Promise<{ port: number; close(): Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory: folder,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  return { port, close: () => server.close() };
}
