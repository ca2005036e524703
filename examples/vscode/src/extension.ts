// Starts `predicat lsp` for the catalog of the workspace, and runs its commands as tasks.

import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type Position } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

interface Project {
  folder: vscode.WorkspaceFolder;
  command: string;
  catalog: string;
  lint: boolean;
}

/** The settings of the folder that the active file is in, or of the first one. */
function project(): Project | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    return undefined;
  }
  const settings = vscode.workspace.getConfiguration("predicat", folder.uri);
  const command = settings.get<string>("path", "predicat");
  const relative = /[\\/]/.test(command) && !path.isAbsolute(command);
  return {
    folder,
    command: relative ? path.join(folder.uri.fsPath, command) : command,
    catalog: settings.get<string>("catalog", "catalog"),
    lint: settings.get<boolean>("lint", true),
  };
}

async function start(): Promise<void> {
  const found = project();
  if (found === undefined) {
    return;
  }
  const { folder, command, catalog, lint } = found;
  const args = ["lsp", "--catalog", catalog, ...(lint ? [] : ["--no-lint"])];
  const watched = [`${catalog}/**/*.{yml,yaml}`, "macros/**/*.sql"];
  client = new LanguageClient(
    "predicat",
    "predicat",
    { command, args, options: { cwd: folder.uri.fsPath } },
    {
      documentSelector: [
        { scheme: "file", language: "yaml", pattern: `${folder.uri.fsPath}/${catalog}/**/*` },
      ],
      synchronize: {
        fileEvents: watched.map((glob) =>
          vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, glob)),
        ),
      },
    },
  );
  try {
    await client.start();
    await vscode.commands.executeCommand("setContext", "predicat.active", true);
  } catch (error) {
    client = undefined;
    const choice = await vscode.window.showErrorMessage(
      `predicat: cannot start "${command} lsp" (${error}). Install it with: pip install 'predicat[lsp,review]'`,
      "Open Settings",
    );
    if (choice !== undefined) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "predicat.path");
    }
  }
}

async function stop(): Promise<void> {
  await client?.stop();
  client = undefined;
}

/** Run a command of predicat in a terminal. Arguments are never read by a shell. */
async function run(name: string, ...args: string[]): Promise<void> {
  const found = project();
  if (found === undefined) {
    void vscode.window.showInformationMessage("predicat: open a folder with a catalog first.");
    return;
  }
  const execution = new vscode.ProcessExecution(found.command, [name, ...args, "--catalog", found.catalog], {
    cwd: found.folder.uri.fsPath,
  });
  const task = new vscode.Task({ type: "predicat" }, found.folder, `${name} ${args.join(" ")}`.trim(), "predicat", execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}

/** The filter that the cursor is in, as `dataset.filter`. */
async function filterAtCursor(): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return undefined;
  }
  const dataset = /^dataset:\s*["']?([a-z]\w*)/m.exec(editor.document.getText())?.[1];
  const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    editor.document.uri,
  );
  const inside = symbols?.find(
    (symbol) => symbol.kind === vscode.SymbolKind.Function && symbol.range.contains(editor.selection.active),
  );
  return dataset && inside ? `${dataset}.${inside.name}` : undefined;
}

async function explain(name?: string): Promise<void> {
  const filter = name ?? (await filterAtCursor());
  if (filter === undefined) {
    void vscode.window.showInformationMessage("predicat: put the cursor into a filter first.");
    return;
  }
  await run("explain", filter);
}

/** The lens "used by 3 filters": the places, as the editor shows references. */
async function showUses(uri: string, position: Position): Promise<void> {
  const document = vscode.Uri.parse(uri);
  const place = new vscode.Position(position.line, position.character);
  const uses = await vscode.commands.executeCommand<vscode.Location[]>(
    "vscode.executeReferenceProvider",
    document,
    place,
  );
  await vscode.commands.executeCommand("editor.action.showReferences", document, place, uses);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const commands: [string, (...args: never[]) => unknown][] = [
    ["predicat.test", (name?: string) => run("test", ...(name ? [name] : []))],
    ["predicat.diff", () => run("diff")],
    ["predicat.explain", explain],
    ["predicat.showUses", showUses],
    ["predicat.restart", () => stop().then(start)],
  ];
  for (const [name, handler] of commands) {
    context.subscriptions.push(vscode.commands.registerCommand(name, handler as (...args: unknown[]) => unknown));
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("predicat")) {
        void stop().then(start);
      }
    }),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}
