# The service alone; give it DATABASE_URL, ENCRYPTION_KEY and AUTH_SECRET, or a volume at /data.
FROM node:24-bookworm-slim
WORKDIR /oversight
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts
COPY . .
RUN useradd --system oversight && mkdir /data && chown oversight /data
USER oversight
ENV HOST=0.0.0.0 DATA_DIR=/data
EXPOSE 8080
CMD ["node", "src/main.ts"]
