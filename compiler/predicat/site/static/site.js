"use strict";
(() => {
  const input = document.getElementById("search");
  const list = document.getElementById("results");
  const index = (window.PREDICAT_INDEX || []).map((entry) => ({
    ...entry,
    text: [entry.n, entry.d, entry.o, (entry.t || []).join(" "), (entry.f || []).join(" "), entry.l, entry.b].join(" ").toLowerCase(),
  }));
  let shown = [];
  let at = -1;

  const score = (entry, words) => {
    let sum = 0;
    const name = entry.n.toLowerCase();
    for (const word of words) {
      if (!entry.text.includes(word)) return -1;
      if (name === word || name.endsWith("." + word)) sum += 8;
      else if (name.includes(word)) sum += 4;
      else if ((entry.d || "").toLowerCase().includes(word)) sum += 2;
      else sum += 1;
    }
    return sum;
  };

  const find = (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    return index.map((entry) => [score(entry, words), entry]).filter(([sum]) => sum >= 0)
      .sort((a, b) => b[0] - a[0] || a[1].n.localeCompare(b[1].n)).slice(0, 30).map(([, entry]) => entry);
  };

  const link = (entry) => window.ROOT + (entry.k === "dataset" ? "datasets/" : "filters/") + encodeURIComponent(entry.n) + ".html";

  const show = () => {
    shown = find(input.value);
    at = shown.length ? 0 : -1;
    list.replaceChildren(...shown.map((entry, place) => {
      const item = document.createElement("li");
      item.setAttribute("role", "option");
      item.id = "result-" + place;
      const anchor = document.createElement("a");
      anchor.href = link(entry);
      anchor.tabIndex = -1;
      const name = document.createElement("b");
      name.textContent = entry.n;
      const about = document.createElement("span");
      about.textContent = entry.d || entry.b || "";
      anchor.append(name, about);
      item.append(anchor);
      return item;
    }));
    if (!shown.length && input.value.trim()) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "No filter is about that.";
      list.append(none);
    }
    list.hidden = !input.value.trim();
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark();
  };

  const mark = () => {
    [...list.querySelectorAll('[role="option"]')].forEach((item, place) => {
      item.setAttribute("aria-selected", String(place === at));
      if (place === at) item.scrollIntoView({ block: "nearest" });
    });
    if (at >= 0) input.setAttribute("aria-activedescendant", "result-" + at);
    else input.removeAttribute("aria-activedescendant");
  };

  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); };

  input.addEventListener("input", show);
  input.addEventListener("focus", () => { if (input.value) show(); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && at < shown.length - 1) { at += 1; mark(); event.preventDefault(); }
    else if (event.key === "ArrowUp" && at > 0) { at -= 1; mark(); event.preventDefault(); }
    else if (event.key === "Enter" && at >= 0) { location.href = link(shown[at]); }
    else if (event.key === "Escape") { close(); input.blur(); }
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { input.focus(); input.select(); event.preventDefault(); }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search") && !event.target.dataset.search) close(); });
  document.querySelectorAll("[data-search]").forEach((chip) => chip.addEventListener("click", () => {
    input.value = chip.dataset.search;
    input.focus();
    show();
  }));

  document.getElementById("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  });

  document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {  // pages from file:// may not write to the clipboard
      getSelection().selectAllChildren(source);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }));

  // On narrow screens each cell stands below the title of its column.
  document.querySelectorAll("table").forEach((table) => {
    const titles = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent);
    if (!titles.length) return;
    table.classList.add("titled");
    table.querySelectorAll("tbody tr").forEach((row) => [...row.cells].forEach((cell, place) => { cell.dataset.title = titles[place]; }));
  });

  document.querySelectorAll(".tabs").forEach((tabs) => {
    const buttons = [...tabs.querySelectorAll('[role="tab"]')];
    const choose = (chosen) => buttons.forEach((button) => {
      const on = button === chosen;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
      document.getElementById(button.getAttribute("aria-controls")).hidden = !on;
    });
    buttons.forEach((button, place) => {
      button.addEventListener("click", () => choose(button));
      button.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = buttons[(place + step + buttons.length) % buttons.length];
        choose(next);
        next.focus();
      });
    });
  });
})();
