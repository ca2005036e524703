-- Prisma: the models of its guides, with its mapping of types
CREATE TYPE "Role" AS ENUM ('USER', 'EDITOR', 'ADMIN');
CREATE TYPE "OrderStatus" AS ENUM ('PENDING', 'PAID', 'SHIPPED', 'CANCELLED');
CREATE TABLE "User" (id text PRIMARY KEY, email text UNIQUE NOT NULL, "emailVerified" timestamp(3), name text, image text,
  role "Role" DEFAULT 'USER' NOT NULL, roles "Role"[], "createdAt" timestamp(3) DEFAULT now() NOT NULL, "updatedAt" timestamp(3) NOT NULL);
CREATE TABLE "Account" (id text PRIMARY KEY, "userId" text NOT NULL REFERENCES "User", type text NOT NULL, provider text NOT NULL,
  "providerAccountId" text NOT NULL, refresh_token text, access_token text, expires_at integer, token_type text, scope text);
CREATE TABLE "Post" (id serial PRIMARY KEY, title varchar(255) NOT NULL, content text, published boolean DEFAULT false NOT NULL,
  "viewCount" integer DEFAULT 0 NOT NULL, "authorId" text REFERENCES "User", meta jsonb, keywords text[],
  "createdAt" timestamp(3) DEFAULT now() NOT NULL);
CREATE TABLE "Order" (id uuid PRIMARY KEY, status "OrderStatus" NOT NULL, total numeric(65,30) NOT NULL, weight double precision,
  "bigRef" bigint, raw bytea, "placedAt" timestamp(3) NOT NULL, "userId" text NOT NULL REFERENCES "User");
CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL,
  applied_steps_count integer DEFAULT 0 NOT NULL);
