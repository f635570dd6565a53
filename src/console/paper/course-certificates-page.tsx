import { Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client.js';
import { programmeLogo, programmeName } from '../ui/programme.js';
import { Empty, Loaded } from '../ui/states.js';
import { CertificateSheet } from './certificate-sheet.js';
import { PaperPage, PrintButton } from './paper-page.js';
import { useAllByName } from './rows.js';

const route = getRouteApi('/courses/$id/certificates');

/** All valid certificates of a course, one a page. */
export function CourseCertificatesPage() {
  const { id } = route.useParams();
  return (
    <PaperPage id={id} kind="certificates">
      {() => <Certificates courseId={id} />}
    </PaperPage>
  );
}

function Certificates({ courseId }: { courseId: string }) {
  const { t } = useTranslation();
  const query = useAllByName(['listCertificates', 'all', courseId], async (following, signal) => {
    const filter = { courseId, valid: true };
    return (await call('listCertificates', { query: { ...filter, ...following } }, signal)).certificates;
  });
  // Without a logo, the icon of the page is that of coursectl.
  const programme = { programme: programmeName, logo: programmeLogo === '/api/logo' ? programmeLogo : null };
  return (
    <Loaded query={query}>
      {(certificates) =>
        certificates.length === 0 ? (
          <Empty message={t('enrollments.paper.noCertificates')} />
        ) : (
          <>
            <Group justify="space-between">
              <Text size="sm">{t('enrollments.paper.sheets', { count: certificates.length })}</Text>
              <PrintButton />
            </Group>
            <div className="paper certificates">
              {certificates.map((certificate) => (
                <CertificateSheet key={certificate.id} certificate={{ ...certificate, ...programme }} />
              ))}
            </div>
          </>
        )
      }
    </Loaded>
  );
}
