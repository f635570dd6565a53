import { createHash } from 'node:crypto';
import { AppError } from '../../errors.js';
import { presentCertificate, presentValidCertificate } from '../../presenters/certificate.js';
import { revokeCertificate } from '../../services/certificates/commands.js';
import { readLogo } from '../../services/certificates/logo.js';
import { findValidCertificate, listCertificates } from '../../services/certificates/queries.js';
import type { Context } from '../../services/context.js';
import { actorOf } from '../../services/core.js';
import type { Handlers } from '../routing/handler.js';

/** Reads the logo, and creates the handlers. @throws AppError `CONFIG_INVALID` if the logo can't be read */
export function certificateHandlers(context: Context) {
  const { config } = context;
  const { publicUrl } = config.mail;
  const logo = readLogo(config);
  const logoVersion = logo && `"${createHash('sha256').update(logo.content).digest('base64url')}"`;
  const urlOf = (code: string) => (publicUrl === undefined ? null : `${publicUrl}/certificates/${code}`);
  const presentManaged = (certificate: Parameters<typeof presentCertificate>[0]) => ({
    ...presentCertificate(certificate),
    url: urlOf(certificate.code),
  });
  return {
    async listCertificates({ caller, query }) {
      const { items, pagination } = await listCertificates(context, actorOf(caller), query);
      return { certificates: items.map(presentManaged), pagination };
    },

    async verifyCertificate({ params }) {
      const certificate = await findValidCertificate(context, params.code);
      if (!certificate) return { valid: false };
      return {
        valid: true,
        certificate: {
          ...presentValidCertificate(certificate),
          programme: config.programme.name,
          logo: logo ? '/api/logo' : null,
          url: urlOf(certificate.code),
        },
      };
    },

    async revokeCertificate({ caller, params }) {
      const certificate = await revokeCertificate(context, actorOf(caller), params.code);
      return { message: 'Certificate revoked successfully.', certificate: presentManaged(certificate) };
    },

    async showLogo({ setHeader, rangeOf }) {
      if (!logo || logoVersion === undefined) throw new AppError('NOT_FOUND');
      setHeader('Cache-Control', 'public, max-age=3600');
      const { contentType, content } = logo;
      const range = rangeOf(content.length, logoVersion);
      const sent = range ? content.subarray(range.start, range.end + 1) : content;
      return {
        contentType,
        etag: logoVersion,
        ...(range && { range: { ...range, of: content.length } }),
        // SVG files have their colours in style elements.
        contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        bytes: sent.length,
        async *pieces() {
          yield sent;
        },
      };
    },
  } satisfies Partial<Handlers>;
}
