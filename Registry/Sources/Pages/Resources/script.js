// Turns the cards of a deck over, and copies the fork command. Without this script, both sides of each card are visible.
"use strict";
for (const card of document.querySelectorAll(".card")) {
  const button = card.querySelector(".flip");
  const front = button.textContent;
  const flip = () => {
    const isFlipped = card.classList.toggle("flipped");
    button.setAttribute("aria-expanded", String(isFlipped));
    button.textContent = isFlipped ? button.dataset.back : front;
  };
  card.classList.add("flips");
  button.hidden = false;
  card.addEventListener("click", (event) => {
    const isUsed = event.target.closest("a") || String(getSelection());
    if (event.target === button || !isUsed) flip();
  });
}
for (const button of document.querySelectorAll(".copy")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.done;
  });
}
