import { Button, type ButtonProps } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** The page of a certificate, which everybody may see: outside of the frame, so in a tab of its own. */
export const certificatePage = (code: string) =>
  ({ component: 'a', href: `/certificates/${code}`, target: '_blank' }) as const;

/** Opens the certificate of a course. */
export function CertificateButton({ code, title, ...props }: ButtonProps & { code: string; title: string }) {
  const { t } = useTranslation();
  return (
    <Button
      {...certificatePage(code)}
      {...props}
      variant="default"
      leftSection={<IconCertificate size={16} aria-hidden />}
      aria-label={t('courses.certificate.of', { name: title })}
    >
      {t('courses.certificate.open')}
    </Button>
  );
}
