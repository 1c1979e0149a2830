import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { LastBoundary } from './parts/boundary.tsx'
import { applyTheme } from './session/theme.ts'
import './style/base.css'
import './style/parts.css'
import './style/shell.css'
import './style/library.css'
import './style/search.css'
import './style/billing.css'
import './style/live.css'
import './style/forced-colors.css'

applyTheme()
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <LastBoundary>
      <App />
    </LastBoundary>
  </StrictMode>,
)
