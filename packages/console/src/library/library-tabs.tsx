import { useLocation } from 'wouter'
import { Tabs } from '../parts/tabs.tsx'
import { t } from '../texts/texts.ts'

/** Items, and the batches that some of them came by. */
export function LibraryTabs() {
  const [location] = useLocation()
  return (
    <Tabs
      label={t.library.title}
      here={location}
      tabs={[
        ['/library', t.library.items],
        ['/batches', t.batches.title],
      ]}
    />
  )
}
