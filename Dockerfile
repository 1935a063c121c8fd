# The dashboard is built with what only building needs; the service runs without it.
FROM node:24-bookworm-slim AS build
WORKDIR /oversight
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build-dashboard.mjs

# The service alone; give it DATABASE_URL, ENCRYPTION_KEY, AUTH_SECRET and PUBLIC_URL, or a volume at /data.
FROM node:24-bookworm-slim
WORKDIR /oversight
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts
COPY . .
COPY --from=build /oversight/dashboard/dist dashboard/dist
RUN useradd --system oversight && mkdir /data && chown oversight /data
USER oversight
ENV HOST=0.0.0.0 DATA_DIR=/data
EXPOSE 8080
CMD ["node", "src/main.ts"]
