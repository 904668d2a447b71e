// Comfort only: every page works without this file.
(function () {
  "use strict";
  var body = document.body;

  // A copy button on each command.
  function addCopyButtons() {
    if (!navigator.clipboard) return;
    document.querySelectorAll(".cmd").forEach(function (box) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = body.dataset.copy;
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(box.querySelector("code").textContent).then(function () {
          button.textContent = body.dataset.copied;
          setTimeout(function () { button.textContent = body.dataset.copy; }, 1500);
        });
      });
      box.appendChild(button);
    });
  }

  // Files dropped anywhere on the form go into its file field.
  function acceptDrops() {
    var form = document.querySelector("form.paste");
    if (!form) return;
    var field = form.querySelector("input[type=file]");
    var text = form.querySelector("textarea");
    ["dragenter", "dragover"].forEach(function (kind) {
      document.addEventListener(kind, function (event) { event.preventDefault(); form.classList.add("over"); });
    });
    document.addEventListener("dragleave", function (event) {
      if (!event.relatedTarget) form.classList.remove("over");
    });
    document.addEventListener("drop", function (event) {
      event.preventDefault();
      form.classList.remove("over");
      if (event.dataTransfer && event.dataTransfer.files.length) field.files = event.dataTransfer.files;
    });
    text.addEventListener("keydown", function (event) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
  }

  // #L10-L20 marks a range; a click with Shift on a second number makes one.
  function range() {
    var match = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
    return match && { first: Number(match[1]), last: Number(match[2] || match[1]) };
  }
  function markRange(scroll) {
    document.querySelectorAll(".l.picked").forEach(function (line) { line.classList.remove("picked"); });
    var wanted = range();
    if (!wanted) return;
    var first = null;
    for (var n = wanted.first; n <= wanted.last && n < wanted.first + 5000; n++) {
      var line = document.getElementById("L" + n);
      if (!line) continue;
      first = first || line;
      line.classList.add("picked");
      var fold = line.closest("details");
      if (fold) fold.open = true;
    }
    if (first && scroll) first.scrollIntoView({ block: "center" });
  }
  function pickRanges() {
    if (!document.querySelector(".lines-box")) return;
    window.addEventListener("hashchange", function () { markRange(true); });
    document.querySelector(".lines-box").addEventListener("click", function (event) {
      var link = event.target.closest(".l > a");
      var start = range();
      if (!link || !event.shiftKey || !start) return;
      event.preventDefault();
      var n = Number(link.textContent);
      history.replaceState(null, "", "#L" + Math.min(n, start.first) + "-L" + Math.max(n, start.first));
      markRange(false);
    });
    markRange(true);
  }

  addCopyButtons();
  acceptDrops();
  pickRanges();
})();
