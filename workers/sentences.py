"""Sentences to workers that are made, and often stored, where no language is known. `workers.said` translates them.

A sentence stands here as it is made, with {names} for its values. What is made from parts stands here in parts.
"""

from django.utils.translation import gettext_noop

TASKS = (
    gettext_noop("coreference link"),
    gettext_noop("chain verification"),
    gettext_noop("box requirement"),
    gettext_noop("box drawing"),
    gettext_noop("box quality"),
    gettext_noop("box coverage"),
    gettext_noop("caption check"),
    gettext_noop("atom visual"),
)
"""The names of the tasks: `Task.label`."""
TERMS = (
    gettext_noop("The requester has not given a name here: ask the person who sent you the link."),
    gettext_noop("No address is given: ask the person who sent you the link."),
    gettext_noop("The requester has not said what the answers are for."),
    gettext_noop(
        "What identifies you (name, account, platform id) is kept until you delete it. Your answers are kept with the "
        "data set, without you from then on."
    ),
    gettext_noop(
        "What identifies you (name, account, platform id) is deleted once you have done nothing here for {days} days, "
        "unless another project keeps it for longer or you are still owed money. You can delete it sooner. Your "
        "answers are kept with the data set, without you from then on."
    ),
)
REFUSALS = (
    gettext_noop("This project gives no new questions at present."),
    gettext_noop("The requester has not started this project yet. Look again in a while."),
    gettext_noop("The requester has paused this project. Look again in a while."),
    gettext_noop("This project is finished. Thank you for your work."),
    gettext_noop("You were signed out. Sign in again; your answers are kept."),
    gettext_noop("You have no access to this task in this project. Ask the requester for access."),
    gettext_noop("You are not asked to do this task at present."),
    gettext_noop(
        "The requester's budget is spent, so there is no new work until it is raised. Work that you have begun is paid."
    ),
    gettext_noop("This session is over: you have had all its assignments, or you returned it."),
    gettext_noop("This session can't be submitted yet."),
    gettext_noop("There is no such assignment."),
    gettext_noop("This assignment belongs to another worker."),
    gettext_noop("This assignment was returned. Its questions went to others."),
    gettext_noop("An answer does not fit its question."),
    gettext_noop("A row changed after it was read, so nothing was written. Read it again and retry."),
    gettext_noop("Write a message of 1 to 2,000 characters."),
    gettext_noop("There is no such project, assignment or conversation, or you have no part in it."),
    gettext_noop("You have written many messages. Wait an hour, then write again; everything you wrote has arrived."),
    gettext_noop("This account also manages projects or the service. An administrator has to take that away first."),
    gettext_noop("This invitation cannot be used."),
    gettext_noop("There is no such invitation. Check that you copied the whole link, or ask the sender for a new one."),
    gettext_noop("This invitation has expired. Ask the sender for a new one."),
    gettext_noop("As many people have joined as this invitation allows. Ask the sender for a new one."),
    gettext_noop("The worker has appealed already."),
    gettext_noop("A comment has at most {most} characters, and no NUL among them."),
    gettext_noop("This assignment has {size} questions, not {given}."),
)
"""Docstrings of errors, and messages that take their place."""
TRUST = (
    gettext_noop("There is no new work for you at the moment. The requester has been told."),
    gettext_noop("You may take the test again from {time}."),
    gettext_noop("The test may be taken again from {time}."),
    gettext_noop("You can go on from {time}."),
    gettext_noop("Your answers to this task are no longer asked for. Your appeal is with the requester."),
    gettext_noop("Your answers to this task are no longer asked for. You can appeal once."),
    gettext_noop("Qualification test: {right} of {size} right; {needed} are needed."),
    gettext_noop("You passed. The work is open to you now."),
    gettext_noop("That was the last try. You can appeal to the requester on your home page."),
    gettext_noop("You can take the test once more, in {hours} hours at the earliest."),
    gettext_noop("You can take the test {left} more times, in {hours} hours at the earliest."),
    gettext_noop("The requester has decided about you without the test."),
)
PAY = (
    gettext_noop("Paid for what was earned."),
    gettext_noop("Paid by the platform beyond what was earned."),
    gettext_noop("Paid."),
    gettext_noop("{amount} for your assignment {task} of {time} is refused: {reason}"),
    gettext_noop("{amount} for your assignment {task} of {time} is no longer refused, but owed to you: {reason}"),
    gettext_noop("Your answers in an assignment ({task}) are paid, but not used. The requester's reason: {reason}"),
)
SESSIONS = (
    gettext_noop("Hand in {left} more assignment first."),
    gettext_noop("Hand in {left} more assignments first."),
    gettext_noop("You have nothing to hand in. Give this place back: that does not count against you."),
    gettext_noop("This session was given back, or its time ran out."),
    gettext_noop("This session was given back, or its time ran out. Take another one."),
    gettext_noop("This session is for {task}, and for nothing else."),
    gettext_noop("This session has had all its assignments: hand it in."),
    gettext_noop(
        "This was opened in another browser or on another network, and goes on only there. If that was not you, or "
        "you cannot go back, write to the requester: they can let you open it again."
    ),
    gettext_noop("You had your data here deleted, so you cannot work here any more. Please give this place back."),
    gettext_noop("This was handed in and settled. Take another one."),
)
FAULTS = (
    gettext_noop("The service is busy. Nothing is lost; try again in a moment."),
    gettext_noop(
        "The disk of the service is full, so this was not stored. What was stored before is kept. Tell the requester, "
        "and try again later."
    ),
    gettext_noop(
        "The database of the service does not answer, so this was not stored. What was stored before is kept. Try "
        "again in a minute."
    ),
    gettext_noop("The database of the service cannot be read or written. Tell the requester, and try again later."),
    gettext_noop("The files cannot be reached right now. Try again in a minute."),
    gettext_noop("The queue of jobs (Redis) does not answer. Try again in a minute."),
)
SENTENCES = (*TASKS, *TERMS, *REFUSALS, *TRUST, *PAY, *SESSIONS, *FAULTS)
