import { Box, Image } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { formatFullDay } from '../i18n/format.js';
import { nameOf } from '../ui/person-name.js';
import './certificate.css';

export type Certificate = NonNullable<ResponseBody<'verifyCertificate'>['certificate']>;

/** Class for a smaller font if the text is long, so that the certificate fits on one page. */
const sizeOf = (text: string): string => (text.length > 60 ? 'certificate-long' : '');

/** A certificate on a page of paper. */
export function CertificateSheet({ certificate }: { certificate: Certificate }) {
  const { t } = useTranslation();
  const { programme, logo, courseTitle, trainerName, startDate, endDate, completedOn, code, url } = certificate;
  const name = nameOf(certificate);
  const days = [...new Set([startDate, endDate])].flatMap((day) => (day === null ? [] : [formatFullDay(day)]));
  return (
    <Box component="article" className="certificate" aria-label={t('links.certificate.kind')}>
      {logo !== null && <Image src={logo} alt="" w="auto" />}
      <p dir="auto">{programme}</p>
      <p className="certificate-kind">{t('links.certificate.kind')}</p>
      <h2 dir="auto" className={`certificate-name ${sizeOf(name)}`}>
        {name}
      </h2>
      <p>{t('links.certificate.completed')}</p>
      <p dir="auto" className={`certificate-title ${sizeOf(courseTitle)}`}>
        {courseTitle}
      </p>
      {days.length > 0 && <p>{days.join(' – ')}</p>}
      <p>{t('links.certificate.on', { day: formatFullDay(completedOn) })}</p>
      <p>
        {t('links.certificate.trainer')} <bdi>{trainerName}</bdi>
      </p>
      <p className="certificate-check">
        {t('links.certificate.checkAt')}
        <br />
        <bdi dir="ltr">
          {url === null ? `${window.location.origin}/certificates/` : url.slice(0, -code.length)}
          <wbr />
          <span className="certificate-code">{code}</span>
        </bdi>
      </p>
    </Box>
  );
}
