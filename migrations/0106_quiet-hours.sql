-- Local hours in which a webhook gets no deliveries (webhooks/quiet-hours.ts); null: none.
alter table webhooks add column quiet_hours jsonb;
