// The story of test_clients.py, told with the AWS SDK for JavaScript: node story.mjs URL FOLDER
// where the folder's node_modules have the SDK. Prints what it saw as JSON.

import { createRequire } from "node:module";

const [url, folder] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const dynamodb = require("@aws-sdk/client-dynamodb");
const documents = require("@aws-sdk/lib-dynamodb");

const client = new dynamodb.DynamoDBClient({ endpoint: url, maxAttempts: 1 });
const table = documents.DynamoDBDocumentClient.from(client);
const TableName = "Story";
const key = (sk) => ({ pk: "a", sk });
const seen = {};

async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not refused");
}

await client.send(
  new dynamodb.CreateTableCommand({
    TableName,
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "S" },
    ],
    BillingMode: "PAY_PER_REQUEST",
  }),
);
await dynamodb.waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 1 }, { TableName });

for (let n = 0; n < 12; n++) {
  const sk = String(n).padStart(3, "0");
  const Item = { ...key(sk), n, text: "x".repeat(5000), bytes: new Uint8Array([0, 255]) };
  await table.send(new documents.PutCommand({ TableName, Item }));
}

const { Item: item } = await table.send(new documents.GetCommand({ TableName, Key: key("003") }));
seen.got = [item.n, item.text.length, Array.from(item.bytes)];

seen.pages = [];
const query = {
  TableName,
  KeyConditionExpression: "pk = :pk",
  ExpressionAttributeValues: { ":pk": "a" },
};
for await (const page of documents.paginateQuery({ client: table, pageSize: 5 }, query)) {
  seen.pages.push(page.Items.length);
}

const update = (expected) =>
  table.send(
    new documents.UpdateCommand({
      TableName,
      Key: key("003"),
      UpdateExpression: "ADD n :one",
      ConditionExpression: "n = :expected",
      ExpressionAttributeValues: { ":one": 1, ":expected": expected },
      ReturnValues: "UPDATED_NEW",
    }),
  );
seen.updated = (await update(3)).Attributes.n;
seen.refused = (await refusal(update(3))).name;

const put = (sk, ConditionExpression) => ({
  Put: { TableName, Item: key(sk), ConditionExpression },
});
await table.send(
  new documents.TransactWriteCommand({ TransactItems: [put("100"), put("101")] }),
);
const cancelled = await refusal(
  table.send(
    new documents.TransactWriteCommand({
      TransactItems: [put("102"), put("101", "attribute_not_exists(pk)")],
    }),
  ),
);
seen.reasons = cancelled.CancellationReasons.map((reason) => reason.Code);

await table.send(new documents.DeleteCommand({ TableName, Key: key("100") }));
const gone = await table.send(new documents.GetCommand({ TableName, Key: key("100") }));
seen.left = gone.Item ?? null;
await client.send(new dynamodb.DeleteTableCommand({ TableName }));
seen.tables = (await client.send(new dynamodb.ListTablesCommand({}))).TableNames;
console.log(JSON.stringify(seen));
